"""The labels of the family `numbers`. A space stands for any blanks."""

from __future__ import annotations

NUMBERED = (
    "lab,laboratory,sample,exam,admission,adm,episode,employee,student,military,encounter,enc,visit,accession,acc,acc'n,order,ord,study,case,report,rpt,batch,index,job,jacket,doc,document,"
    "note,call,ticket,event,incident,trauma,run,trip,booking,inmate,docket,cause,claim,referral,authorization,"
    "authorisation,auth,confirmation,conf,reference,ref,requisition,req,specimen,spec,slide,path,pathology,"
    "cytology,cyto,hematopath,autopsy,x-ray,xray,film,rt,voucher,placard,blood bank,bag,band,kit,locker,tag,trace,"
    "tracking,donor,pedigree,me,m.e.,interp,interpreter,interp phone,interpreter phone,card,rx,prescription,"
    "dictation,dict job,v,subject,birth certificate,participant,trial pt,session,pasrr,unos cand,"
    "state iis,family,tc,alien,payroll,qid"
)
"""Labels when a number sign follows."""

SURE = (
    "csn,contact serial,accession,encounter,encounter info,our ref,your ref,agency ref,lab ref,case ref,"
    "intake ref,state file,tax id,tin,ein,badge,tc#"
)
"""Labels that only a number can follow."""

CAPITALS = "ccf,hmis,edipi,unos,kpd,eoc,trk,nric,cnic,hkid,nic,nid,nin,nrc,uci,napsa"

DOCUMENTS = (
    "passport,visa foil,foil,national id,national identity card,cedula,cédula,kennitala,aadhaar,omang,emirates id,"
    "id card,identity card,identity no,"
    "a-number,a#,i-94,waybill,tracking,trk,certified mail,gop,guarantee of payment ref,nbs kit,newborn screen kit"
)
"""Papers and parcels, whose numbers may be set in groups."""

LOOSE = (
    "acc,accn,auth,auths,authorization,authorisation,prior auth,preauth,pre-auth,precert,preauthorization,ref auth,"
    "auth code,ref,reference,referral,req,requisition,conf,confirmation,trace,order,orders,study,case,report,"
    "reports,rpt,visit,enc,batch,job,dict job,j,specimen,specimens,spec,slide,slides,path,pathology,cytology,"
    "cyto,surg path,flow,biopsy,bx,claim,claims,ticket,tkt,incident,event,run,trip,booking,inmate,docket,cause,"
    "subject,appeal,denial reference,first level appeal,courier,kit,band,id band,bag,locker,result file,placard,"
    "photos,session,term,unit,tank,registry,enrollment,rx,tag,police case,police report,case log,pa case,"
    "poison ctr case,case afhcan,file,op,hematopath,film,seal,slip,memo,histo,fnac,"
    "datix,warrant,court file,coroner,collar,episode,receipt,station diary"
)
"""Labels that are also plain words: the value must look like an identifier."""

_PRINTS = "fingerprint,thumbprint,footprint,footprints,voiceprint,palm vein,palm-vein,retinal scan,retina scan,iris scan"
_PRINTS += ",face match,face capture,finger scan,print,template"
_ACTS = "scan,match,capture,card,check-in,enrollment,e-sign ref,stored,time clock"
BIOMETRICS = ",".join(
    (
        "barcode,barcodes,saliva barcode,tube barcode,biobank,biobank tube,biorepository,face match stored,"
        "voice-clock enrollment,hla specimen,typing specimen,hla tube,tumor core,residual tumor core,"
        "cord blood,cord blood bag,cord blood unit,dna,din,donor din,cryo,chain label,face capture",
        _PRINTS,
        *(f"{noun} {act}" for noun in _PRINTS.split(",") for act in _ACTS.split(",")),
    )
)
"""Biometric templates, and specimens kept with a donor's identity."""

CODES = (
    *(
        f"{what} code"
        for what in "activation access gate door share entry security verification portal".split()
    ),
    "pin",
    "pin for phone info",
)
"""Codes that open a door, a portal or a telephone line."""

NOT_BEFORE_HASH = frozenset(
    "phone ph tel telephone fax cell mobile pager beeper pgr ext ss ssn soc sec security serial model lot ser sn "
    "catalog cat ndc plate vin vehicle mrn mr chart unit hospital hosp patient pt record rec license lic "
    "licence npi dea provider policy member group grp subscriber account acct medicaid medicare guarantor "
    "tylenol dose day pod hd cycle tooth teeth stage grade type size page code cpt icd zip box suite apt "
    "apartment po dose supplement imei udi device ref protocol irb trial nct".split()
)
"""Words whose numbers belong to another family, or to nobody."""
