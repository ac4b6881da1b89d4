"""Capitals that mean something else in a note than somebody's initials."""

from __future__ import annotations

from incognote.knowledge.lexicon import ACRONYMS, NEVER_NAMES, is_ordinary
from incognote.knowledge.places import PROVINCE_CODES, STATE_CODES

TWO_LETTERS = frozenset(
    "ab ac ad ae af ag ai aj ak al am ao ap ar as at au av ax ba bb bc bd be bf bg bh bi bk bl bm "
    "bn bp br bs bt bw bx ca cb cc cd cf cg ch ci ck cl cm cn co cp cq cr cs ct cu cv cx da dc dd "
    "df di dl dm dn do dp dr ds dt du dv dx dz ea ec ed ee ef eg ei em en eo ep er es et ev ew fa "
    "fb fc fe ff fh fm fn fr fs ft fu fx ga gb gc ge gf gi gm gn gp gt gu gv gy ha hb hc hd he hf "
    "hh hi hl hm hn ho hp hr hs ht hu hv hx ia ic id ie ig ii ij il im in io ip ir is it iu iv ix "
    "jp jr kg km kt kv la lb ld le lf lh ll lm ln lp lr ls lt lv ma mb mc md me mg mh mi mj ml mm "
    "mo mp mr ms mt mu mv mx na nb nc nd ng nh ni nk nl nm no np nr ns nt nw ny oa ob oc od of og "
    "oh ok om on op or os ot ou ov ox oz pa pb pc pd pe pf ph pi pk pl pm pn po pp pr ps pt pv px "
    "qa qc qd qi qr qs qt ra rb rc rd re rf rh rl rm rn ro rp rr rs rt rv rw rx sa sb sc sd se sf "
    "sh si sl sm sn so sp sq sr ss st sv sw sx sz ta tb tc td te tf tg th ti tm tn tp tr ts tt tv "
    "tx ty ua uc ue uf uk ul um un uo up ur us ut uv va vb vc vd ve vf vh vi vk vl vm vp vr vs vt "
    "wb we wf wk wm wn wt xi xl xr xs xx xy yo yr zn".split()
)
"""Findings, drugs, units, wards, professions, degrees, and the short words of English."""

WORDS_AND_ROLES = frozenset(
    "am an as at be by do go he hi if in is it me my no of oh ok on or so to up us we "
    "cc dr ed ep er gp id ir jr ma md mr np ob op ot pa pr pt rn rt sn sr st sw".split()
)
"""Those that do what people do ("RN called", "PT tolerated it well")."""

DOTTED = frozenset("am pm po iv im us uk md do rn np pa".split())
"""Those that are as often written with full stops."""

_CODES = frozenset(code.lower() for code in STATE_CODES | PROVINCE_CODES)


def is_abbreviation(capitals: str) -> bool:
    """Whether the capitals are known to stand for something else."""
    small = capitals.lower()
    known = small in ACRONYMS or small in NEVER_NAMES or small in TWO_LETTERS or small in _CODES
    return known or is_ordinary(small)


def is_word_or_role(capitals: str) -> bool:
    """Whether they may do in a sentence what a person does: "HE", "AND", "RN"."""
    small = capitals.lower()
    word = small in NEVER_NAMES or is_ordinary(small)
    return word if len(small) > 2 else small in WORDS_AND_ROLES
