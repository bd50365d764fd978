"""The sentences around the fillers.

In braces stands what a seminar says, with the forms it may take here: `{speaker.titled|name}`.
`{speakers}` and `{affiliations}` are one or two of them, joined by "and". A sentence that needs
what a seminar lacks is not used for it.
"""

# fmt: off
SUBJECTS = (
    "Subject: {series.full|short}: {topic.full|short}",
    "Subject: Talk by {speaker.titled|name|formal}, {date.month|plain|weekday}",
    "Subject: {speaker.name|initial} on {topic.short}",
    "Subject: {date.plain|month}, {stime.ampm|tight}: {topic.full}",
    "Subject: [talks] {topic.full|short}",
    "Subject: {series.short} - {date.short|month}",
    "Subject: Seminar reminder",
    "Subject: talk announcement, {speaker.loud}",
)
TOPS = (
    "From: {sender.name}\nPosted: {posted.short} {posted_at.day}\n",
    "From: {sender.initial}\nDate: {posted.plain}, {posted_at.ampm}\n",
    "Posted by {sender.name} on {posted.month} at {posted_at.bare}\n",
    "Date: {posted.iso} {posted_at.day}\nFrom: {sender.full}\n",
    "",
)
BANNERS = (
    "*** {series.full} ***", "{series.full}", "SEMINAR ANNOUNCEMENT", "Dear all,",
    "Hello everyone,",
    "You are warmly invited to the {series.full|short}.", "A talk in the {series.full}", "TALK",
    "Colleagues and friends,", "{topic.full}\n\n{speakers.full}\n{affiliations.long|full}",
)
BLOCKS = {
    "speaker": (
        "Speaker: {speakers.full|titled|name}", "WHO: {speakers.full|titled|name|loud}",
        "Speaker: {speakers.full|titled}, {affiliations.full|long}",
        "Presenter: {speakers.name|titled} ({affiliations.full|short})",
        "Who: {speakers.titled|name}",
    ),
    "topic": ("Title: {topic.full}", "WHAT: {topic.full}", 'Topic: "{topic.full}"'),
    "time": (
        "Time: {stime.ampm|dots|tight} - {etime.ampm|dots|tight}", "Time: {stime.day}-{etime.day}",
        "WHEN: {date.usual|long}, {stime.bare|hour} - {etime.ampm|dots|tight}",
        "When: {date.usual|long|month}, {stime.hour} to {etime.dots|tight}",
        "Time: {stime.ampm|dots|tight|day}", "When: {date.usual|long}, {stime.ampm|dots|day|tight}",
        "Time: {stime.ampm|tight} ({length})", "WHEN: {stime.ampm|dots} on {date.usual|month}",
    ),
    "date": ("Date: {date.usual|long|short|iso}", "Day: {date.usual|plain}"),
    "place": (
        "Place: {building.full} {room.number}", "Where: {building.full}, {room.full}",
        "Location: {room.full|abbreviated}, {building.full}",
        "WHERE: {building.code} {room.number}",
        "Place: {building.full}", "Room: {building.short} {room.number}",
    ),
    "host": ("Host: {host.titled|name|full}", "Hosted by: {host.name|initial}"),
    "affiliation": ("Affiliation: {affiliations.long|full}", "From: {affiliations.full}"),
}
OPENINGS = (
    "On {date.usual|long} at {stime.ampm|dots|tight|words} {speakers.titled|name} "
    '({affiliations.full}) will speak on "{topic.full}" in {building.full}, {room.full}.',
    '{speakers.titled|full|name} will give a talk called "{topic.full}" on {date.usual|plain}. We '
    "meet in {room.full} of the {building.full} at {stime.dots|tight|words}.",
    "Please join us on {date.usual|month} in the {building.full} when {speakers.name|titled} will "
    'talk about "{topic.full}". We begin at {stime.words|dots|ampm}.',
    "We are pleased to have {speakers.titled|full} with us this month. The talk, \"{topic.full}\", "
    "runs from {stime.hour|bare} to {etime.dots|tight} on {date.usual|plain}, and the place is "
    "{building.full} {room.number}.",
    "The next speaker of the {series.full|short} is {speaker.titled|name} "
    "({affiliation.full|short})"
    ', with "{topic.full}". Come to {building.full} by {stime.words|dots}; the day is '
    "{date.usual|weekday}.",
    "{host.titled|name|formal} will introduce {speakers.titled|name}, who will present "
    '"{topic.full}" at {stime.dots|ampm|day} on {date.usual|plain} in {building.full}.',
    "Mark {date.plain|usual|month}: {speakers.name|titled}, {affiliations.full|short}, will be in "
    "{building.full|short}, {room.full|abbreviated}, from {stime.words|dots|bare} until "
    '{etime.words|dots|bare}. The title is "{topic.full}".',
    "This {date.weekday}, {speakers.name|titled} will come to the {building.full} to tell us about "
    '"{topic.full}". Doors open a little before {stime.words|dots|tight}.',
)
FOLLOWS = (
    "This is a change of time: the talk is at {stime.dots|tight|bare}, not at "
    "{former.dots|tight|bare} "
    "as printed on the poster.",
    "Please note the room, {building.full|short} {room.number}, and not {hall.full} as before.",
    "The meeting lasts {length}.", "Allow {length}, questions included.",
    "We shall be done by {etime.words|dots|tight|ampm}.",
    "It ends at {etime.dots|bare|words} sharp.",
    "Tea will be served at {tea.words|dots|bare} in the foyer of {hall.full}.",
    "There is coffee from {tea.dots|tight} on, in {hall.full} {office}.",
    "All are welcome; no background is needed.", "Seats are few, so come early.",
    "{speaker.formal|initial} will stay until the evening and is glad to meet students.",
    "Those who wish to meet {speaker.formal|name} may write to {host.formal|name|initial}.",
    "Lunch with the speaker can be booked through {colleague.name|initial} in {hall.short} "
    "{office}.",
)
ABSTRACTS = (
    "For years it was held that {thing} obey no rule at all.",
    "We set out to learn what {thing} have in common, and found less than we had hoped.",
    "In this talk {speaker.formal} will show how far one gets with patience and a notebook.",
    "The method is simple enough to be done by hand, and it has been.",
    "Along the way we meet a lost ledger, two rival schools and a very old mistake.",
    "A first experiment with forty volunteers gave an answer nobody liked.",
    "{speaker.formal|name} argues that the usual account has cause and effect the wrong way round.",
    "What looks like noise turns out to be a second signal with a period of its own.",
    "The second half asks whether the same holds for things that were never measured.",
    "This is joint work with {colleague.name|titled}.",
    "I shall say which of our claims I no longer believe, and why.",
    "Some of the evidence is strong, some is thin, and the talk keeps the two apart.",
    "Examples are drawn from {thing} of three regions.",
    "An earlier version was presented on {posted.month} to a small circle.",
    "No formula will be shown that does not fit on a postcard.",
    "If time permits, there will be a demonstration with string and two chairs.",
    "It is often cheaper to ask twice than to ask well.",
    "The results hold under every choice that we could think of, except one.",
    "We close with a list of questions on {thing} that a student could answer in a year.",
)
LIVES = (
    "{speaker.full|name} is a reader at {affiliation.full|long} and keeps bees.",
    "{speaker.formal|titled} came to {affiliation.full|short} by way of {hall.short} and a long "
    "sea voyage.",
    "About the speaker: {speaker.name|full} studied far from here, leads a group at "
    "{affiliation.full} "
    "and has written two books on {thing}.",
    "{speaker.titled} has worked on {thing} since before they were fashionable. {speaker.formal} "
    "is "
    "also the keeper of the instrument cabinet at {affiliation.full|short}.",
    "{speaker1.full|titled} joined the project last year; {speaker.formal} has led it from the "
    "start.",
)
REMINDERS = (
    "REMINDER: {speaker.formal|name|loud}, {date.weekday|month}, {stime.tight|bare|day}, "
    "{building.code|short} {room.number}.",
    "Once more: {stime.words|dots|bare}, {building.short|full}, {date.plain|weekday}.",
    "In short: {speaker.initial|name|formal}, {stime.day|tight}-{etime.day|tight}, "
    "{building.full|short}.",
    'Do not forget: "{topic.full|short}", {date.weekday|plain} at {stime.bare|dots}.',
    "See you on {date.weekday|month} at {stime.words|bare|dots} in {room.full|abbreviated}!",
    "The {series.short} thanks {host.name|formal} for bringing {speaker.name|formal} here.",
)
LEFT = {
    "series": "This talk belongs to the {series.full|short}.",
    "topic": 'The title of the talk is "{topic.full}".',
    "date": "The day is {date.usual|plain}.",
    "stime": "It starts at {stime.dots|words|ampm}.",
    "etime": "It is over at {etime.dots|words|ampm}.",
    "building": "The talk is in {building.full}.",
    "room": "Please go to {room.full|abbreviated}.",
    "speaker": "The speaker is {speaker.titled|name}.",
    "speaker1": "{speaker1.titled|name} will speak as well.",
    "affiliation": "Affiliation of the speaker: {affiliation.full}.",
    "affiliation1": "We also welcome {affiliation1.full}.",
    "host": "The host is {host.titled|name|formal}.",
    "length": "The talk takes {length}.",
}
SIGNATURES = (
    "-- \n{sender.name}, for the organisers", "Best wishes,\n{sender.name}", "{sender.initial}",
    "Questions to {sender.titled|name}, {hall.code} {office}.", "With kind regards,\n{host.name}",
    "",
)
DIGESTS = (
    "Two talks are coming up.", "This week's talks in brief:", "The following talks are announced.",
    "Please find below what is on in the next days.",
)
NOTICES = (
    "The lift in {hall.full} is out of order until {posted.usual}. Please take the stairs, or ask "
    "{colleague.name} in {hall.short} {office} for the key to the goods lift.",
    "A grey scarf was found after yesterday's lecture. It can be had from {colleague.titled}, "
    "{hall.full} "
    "{office}, any day before {tea.dots}.",
    "There is no seminar this week. We meet again next month; proposals for speakers go to "
    "{colleague.name} by {posted.month}.",
    "The printers in {hall.full} will be changed on {posted.plain} at {former.tight}. Save your "
    "work.",
)
# fmt: on
