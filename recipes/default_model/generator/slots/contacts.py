"""Slots for telephones, mail and network addresses."""

from __future__ import annotations

from generator.scene import Scene
from generator.slots.slot import Slot, typed
from generator.values import abroad, contacts


def _word(scene: Scene) -> str:
    return scene.facility("hospital").short


def _email(role: str) -> Slot:
    def draw(scene: Scene) -> str:
        person = scene.person(role)
        return contacts.email(scene.rng, person.first, person.last, _word(scene))

    return typed("EMAIL", draw)


def _phone(scene: Scene) -> str:
    if scene.country:
        return abroad.phone(scene.rng, scene.country)
    return contacts.phone(scene.rng)


def _fax(scene: Scene) -> str:
    if scene.country:
        return abroad.phone(scene.rng, scene.country)
    return contacts.number(scene.rng)


CONTACTS: dict[str, Slot] = {
    "phone": typed("PHONE", _phone),
    "pager": typed("PHONE", lambda scene: contacts.pager(scene.rng)),
    "ext": typed("PHONE", lambda scene: contacts.extension(scene.rng)),
    "xext": typed("PHONE", lambda scene: "x" + contacts.extension(scene.rng)),
    "fax": typed("FAX", _fax),
    "email": _email("pt"),
    "dremail": _email("dr"),
    "url": typed("URL", lambda scene: contacts.url(scene.rng, _word(scene))),
    "ip": typed("IPADDR", lambda scene: contacts.ip_address(scene.rng)),
}
