"""The words that records are made of. People, institutions and buildings are invented."""

# fmt: off
GIVENS = (
    "Mirela", "Tobin", "Aldis", "Senna", "Corwin", "Ilka", "Jorun", "Bastian", "Odile", "Perrin",
    "Quilla", "Rasmus", "Tamsin", "Ulf", "Verity", "Wendel", "Ximena", "Yorick", "Zelda", "Anouk",
    "Beric", "Cosima", "Dagny", "Emlyn", "Fenja", "Gideon", "Hesper", "Ivo", "Jessamy", "Kester",
    "Lunet", "Maddox", "Nerys", "Oriel", "Piran", "Rowena", "Sunniva", "Thora", "Ursel", "Vasco",
)
FAMILIES = (
    "Oxenby", "Thistlewane", "Marrowgate", "Quennock", "Ashlapper", "Brindlecot", "Candlewyck",
    "Dravenholt", "Eddlestrom", "Farrowind", "Glasspool-Ember", "Hollowick", "Inkersett",
    "Jessopeth", "Kettlewrath", "Lanternby", "Mossgrieve", "Nettlefarer", "Ormscrake", "Pellowarn",
    "Quickmere", "Rushenfold", "Saltonbrae", "Tarnwhistle", "Umberleigh", "Vellacorn", "Wickenmoor",
    "Yarrowcliff", "Zephyrine", "Bellwhistle", "Cragfennel", "Duskery", "Elmsparrow", "Fogarden",
    "Gorsewick", "Harkenvale", "Ivorstone", "Junipette", "Kilnbrook", "Larkenshaw", "O'Marrable",
    "van der Quill", "Sørlunde", "Brûlecamp",
)
TITLES = ("Dr.", "Dr.", "Prof.", "Prof.", "Professor")
DEGREES = ("Ph.D.", "Ph.D", "M.Sc.", "D.Phil.")
AFFILIATIONS = (
    "University of Vantrey", "University of Ellisfold", "University of Brindlemoor",
    "University of Saltmarrow", "University of Ostermead", "Harrowmeer Institute",
    "Quillhaven Polytechnic", "Corvane Laboratories", "Pellwater College", "Tidemark Observatory",
    "Ninefold Works", "Gantrywick Archive",
)
DEPARTMENTS = (
    "Department of Quiet Machines", "School of Applied Weather", "Division of Small Languages",
    "Faculty of Maps", "Department of Counting", "Laboratory for Slow Signals",
    "School of Materials and Mending", "Group for Everyday Logic",
)
BUILDINGS = (
    "Larkspur Hall", "Heronsgate Building", "Old Ferry House", "Tallowmere Hall", "Pinwheel Tower",
    "Copperlane Annex", "Summerfold Building", "Kestrelbank Hall", "Weathervane House",
    "Millrace Pavilion", "Dovecote Wing", "Lower Quarry Building", "Brasswater Hall",
    "Gooseberry House",
)
FLOORS = ("1", "2", "3", "4", "5", "B", "G", "21", "54")
SERIES = (
    "Monthly Lantern Seminar", "Joint Tidewater Colloquium", "Weekly Kettle Talk",
    "Open Window Lecture", "Annual Hedgerow Lecture", "Informal Staircase Seminar",
    "Autumn Compass Colloquium", "Junior Bellows Seminar", "Special Clockmakers' Lecture",
)
ACTS = (
    "Counting", "Mapping", "Listening to", "Teaching", "Folding", "Repairing", "Timing", "Sorting",
    "Sketching", "Tracing", "Predicting", "Weighing", "Rehearsing", "Naming", "Comparing",
    "Untangling", "Borrowing", "Lighting",
)
THINGS = (
    "Tidal Clocks", "Mossy Roofs", "Quiet Networks", "Paper Bridges", "Migrating Lanterns",
    "Forgetful Robots", "Slow Rivers", "Broken Proofs", "Shared Kitchens", "Small Grammars",
    "Crowded Stairwells", "Sparse Orchards", "Stubborn Hinges", "Distant Bells", "Loose Timetables",
    "Half-Finished Maps", "Nervous Markets", "Folded Proteins", "Leaky Memories", "Village Radios",
    "Shy Planets", "Second-Hand Words", "Uneven Pavements", "Salted Wires",
)
WAYS = (
    "from the Air", "with Very Little Data", "under Uneven Light", "by Committee", "without a Map",
    "in Noisy Rooms", "at the Scale of a Village", "One Week at a Time", "after Dark",
    "on a Tight Budget", "before Breakfast", "across Borders",
)
SUBTITLES = (
    "A Field Report", "Three Lessons and a Warning", "What the Archive Leaves Out",
    "Theory and Thrift", "A Second Look", "Notes from a Pilot Study", "How It Fails and Why",
    "Towards a Common Measure", "The View from Below",
)
# fmt: on
