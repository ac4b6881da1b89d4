"""The degrees and certificates that stand after a professional's name, and never in it."""

from __future__ import annotations

from incognote.detect.pattern import WordPattern

DEGREE = WordPattern(
    r"(?<=[ ,\t\n\xa0])(?:"
    r"M\.? ?D\.?|D\. ?O\.|DO|R\. ?N\.|RN|N\. ?P\.|NP|P\.A\.?-? ?C\.?|PA-?C|P\.A\.|PA|"
    r"P[Hh]\.? ?D\.?|D\.D\.S\.|DDS|D\.M\.D\.|DMD|D\.P\.M\.|DPM|DPT|O\.D\.|P[Hh][Aa][Rr][Mm]\.? ?D\.?|"
    r"P[Ss][Yy]\.? ?D\.?|Au\.?D\.?|M\.?B\.?,? ?(?:B\.?S\.?|Ch\.?B\.?|B\.?Ch\.?)|FRCS|FRCPC?|MRCP|"
    r"L\.?P\.?N\.?|L\.?V\.?N\.?|C\.?N\.?A\.?|CMA|RMA|MA|APRN|ARNP|CRNP|CRNA|C\.?N\.?M\.?|CNP|CNS|DNP|"
    r"(?:F|AG|P|W|A|N|PMH|CP|AOC|AC)NP(?:-B?C)?|BSN|MSN|RRT|CRT|RT(?:\(R\))?|C\.C\.P\.|CCP|"
    r"LCSW(?:-[A-Z]|[ACPR])?|LICSW|LMSW|MSW|LSW|LMFT|LPC|LMHC|LADC|CASAC|CDCES|CDE|R\.D\.|RDN?|LDN|PT|OT|"
    r"OTR(?:/L)?|COTA|PTA|SLP|CCC-SLP|CGC|MPH|PGY-?\d|MS ?(?:I|II|III)V?|PL-?\d|RNC|CCRN|CWOCN|OCN|CHPN|"
    r"EMT(?:-?P)?|NREMT|MSSW|M\.S\.|M\.A\.|B\.A\.|HHA|MSA|RHIA|CST|BCBA|BCC|arnp|rn|np|md|lpn|pa-c"
    r")(?![\w'’]|\.\w)"
)
