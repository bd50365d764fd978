"""Realisations: the different strings that may stand for one filler."""

from __future__ import annotations

import datetime

from carob.seminars._truth import Person, Seminar

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_HOURS = (
    "twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven",
)  # fmt: skip
_LENGTHS = {
    45: "three quarters of an hour",
    60: "about an hour",
    75: "an hour and a quarter",
    90: "an hour and a half",
    120: "two hours",
}

Forms = dict[str, str]


def of_person(person: Person) -> Forms:
    """The ways to name somebody.

    >>> of_person(Person("Dr.", "Mirela", "J.", "Oxenby", "Ph.D."))["full"]
    'Mirela J. Oxenby, Ph.D.'
    """
    middle = f" {person.middle}" if person.middle else ""
    degree = f", {person.degree}" if person.degree else ""
    name = f"{person.given} {person.family}"
    return {
        "full": f"{person.given}{middle} {person.family}{degree}",
        "titled": f"{person.title} {name}",
        "name": name,
        "formal": f"{person.title} {person.family}",
        "initial": f"{person.given[0]}. {person.family}",
        "loud": name.upper(),
    }


def of_clock(minutes: int) -> Forms:
    """The ways to tell a time.

    >>> of_clock(15 * 60 + 30)["words"], of_clock(15 * 60)["tight"], of_clock(12 * 60)["words"]
    ('half past three', '3pm', 'noon')
    """
    hour, minute = divmod(minutes, 60)
    twelve = hour % 12 or 12
    half = "AM" if hour < 12 else "PM"
    short = f"{twelve}:{minute:02d}" if minute else str(twelve)
    this, next_ = _HOURS[hour % 12], _HOURS[(hour + 1) % 12]
    words = {
        0: f"{this} o'clock" if hour != 12 else "noon",
        15: f"a quarter past {this}",
        30: f"half past {this}",
        45: f"a quarter to {next_}",
    }
    forms = {
        "ampm": f"{twelve}:{minute:02d} {half}",
        "dots": f"{short} {half[0].lower()}.m.",
        "tight": f"{short}{half.lower()}",
        "day": f"{hour:02d}:{minute:02d}",
        "bare": f"{twelve}:{minute:02d}",
        "hour": short,
    }
    return forms | ({"words": words[minute]} if minute in words else {})


def of_date(date: datetime.date) -> Forms:
    """The ways to name a day.

    >>> of_date(datetime.date(2031, 10, 2))["long"]
    'Thursday, 2 October 2031'
    """
    day, month = _DAYS[date.weekday()], _MONTHS[date.month - 1]
    return {
        "long": f"{day}, {date.day} {month} {date.year}",
        "usual": f"{day}, {date.day} {month}",
        "month": f"{month} {date.day}",
        "plain": f"{date.day} {month}",
        "short": f"{date.day} {month[:3]} {date.year}",
        "iso": date.isoformat(),
        "weekday": day,
    }


def of_building(name: str) -> Forms:
    """The ways to name a building, which is 'Larkspur Hall', 'Larkspur' or 'LH'."""
    return {
        "full": name,
        "short": name.rsplit(" ", 1)[0],
        "code": "".join(part[0] for part in name.split()),
    }


def of_room(number: str) -> Forms:
    """The ways to name a room."""
    return {"full": f"Room {number}", "abbreviated": f"Rm. {number}", "number": number}


def of_series(name: str) -> Forms:
    """The ways to name a series, which is 'Monthly Lantern Seminar' or 'Lantern Seminar'."""
    return {"full": name, "short": name.split(" ", 1)[1]}


def of_affiliation(name: str, department: str) -> Forms:
    """The ways to say where somebody works."""
    short = name.removeprefix("University of ")
    return {
        "long": f"{department}, {name}",
        "full": name,
        "short": short if short != name else name.split(" ", 1)[0],
    }


def of_topic(title: str) -> Forms:
    """A title, whole or cut short before its second half."""
    short = title.split(":")[0]
    return {"full": title} | ({"short": short} if short != title else {})


def of_seminar(seminar: Seminar) -> dict[str, tuple[str, Forms]]:
    """What a template may name: the slot and the forms; what the seminar lacks is not there."""
    said = {
        "series": ("series", of_series(seminar.series)),
        "topic": ("topic", of_topic(seminar.topic)),
        "date": ("date", of_date(seminar.date)),
        "stime": ("stime", of_clock(seminar.start)),
        "building": ("location.building", of_building(seminar.building)),
    }
    for i, person in enumerate(seminar.speakers):
        said[f"speaker{i or ''}"] = ("speaker", of_person(person))
    for i, name in enumerate(seminar.affiliations):
        said[f"affiliation{i or ''}"] = ("affiliation", of_affiliation(name, seminar.department))
    if seminar.host:
        said["host"] = ("host", of_person(seminar.host))
    if seminar.room:
        said["room"] = ("location.room", of_room(seminar.room))
    if seminar.end is not None and seminar.implied:
        said["length"] = ("", {"words": _LENGTHS[seminar.end - seminar.start]})
    elif seminar.end is not None:
        said["etime"] = ("etime", of_clock(seminar.end))
    said["thing"] = ("", {"lower": seminar.thing.lower()})
    return said
