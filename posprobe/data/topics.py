"""The words of the generated corpus."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """Words that occur together.

    Attributes:
        name: What the documents are about.
        nouns: Countable nouns whose plural takes an s.
        verbs: Transitive verbs whose third person takes an s.
        adjectives: Words that can stand before any of the nouns.
    """

    name: str
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    adjectives: tuple[str, ...]


def _topic(name: str, nouns: str, verbs: str, adjectives: str) -> Topic:
    return Topic(name, tuple(nouns.split()), tuple(verbs.split()), tuple(adjectives.split()))


TOPICS = (
    _topic(
        "gardens",
        "garden gardener flower tree root seed hedge lawn basket pond rose spade",
        "plant water trim cover shade enclose weed feed",
        "green wild shady fragrant bare walled",
    ),
    _topic(
        "harbours",
        "harbour ship sailor anchor rope pier captain sail crane boat net lighthouse",
        "load guide repair moor unload signal tow paint",
        "salty grey narrow windy rusty deep",
    ),
    _topic(
        "kitchens",
        "cook kettle oven spoon recipe pan bowl table cake onion soup waiter",
        "stir heat serve taste season bake cool slice",
        "hot sweet bitter fresh copper spicy",
    ),
    _topic(
        "music",
        "singer drum violin song choir chord concert piano note teacher flute hall",
        "play hear tune record follow rehearse praise admire",
        "loud soft slow solemn cheerful bright",
    ),
    _topic(
        "courts",
        "judge lawyer prisoner claim court letter verdict rule clerk trial fine debt",
        "question settle defend reject read confirm review accept",
        "strict lawful formal doubtful written fair",
    ),
    _topic(
        "weather",
        "cloud storm wind forecast flood summer winter thermometer station valley river shower",
        "bring follow measure predict delay weaken darken cool",
        "cold dry humid sudden mild heavy",
    ),
    _topic(
        "machines",
        "engine wheel gear motor lever pump mechanic workshop valve screw belt tool",
        "turn drive lift oil check test lock power",
        "fast noisy steel broken simple modern",
    ),
    _topic(
        "schools",
        "pupil lesson book desk exam teacher classroom pencil question answer map chalkboard",
        "learn explain write ask mark repeat collect correct",
        "young clever patient difficult short useful",
    ),
    _topic(
        "markets",
        "trader stall price coin basket customer apple cart scale bargain shop sack",
        "sell weigh count offer want bring order lend",
        "cheap ripe busy crowded honest dear",
    ),
    _topic(
        "medicine",
        "doctor nurse patient ward fever wound pill bandage clinic scar lung heart",
        "treat examine cure help calm monitor visit protect",
        "ill weak healthy painful gentle careful",
    ),
    _topic(
        "forests",
        "badger bear owl trail hunter beetle nest oak pine hollow stream squirrel",
        "hunt hide follow shelter climb find scare guard",
        "dark silent ancient hungry mossy tall",
    ),
    _topic(
        "stars",
        "star planet telescope moon comet observer crater orbit camera night signal mirror",
        "observe circle attract reflect discover chart trail name",
        "distant faint round icy giant silver",
    ),
    _topic(
        "railways",
        "train driver ticket platform tunnel bridge signal wagon engine passenger timetable guard",
        "stop pull load leave board inspect slow link",
        "late empty northern punctual iron regular",
    ),
    _topic(
        "painting",
        "painter portrait ladder easel colour museum model drawing studio shadow line critic",
        "paint draw admire hang sell restore frame imitate",
        "pale vivid unfinished famous golden flat",
    ),
    _topic(
        "farms",
        "farmer field cow barn plough hen fence harvest tractor goat meadow stable",
        "feed milk sow gather mend own clean move",
        "muddy fertile warm large stubborn wooden",
    ),
    _topic(
        "mountains",
        "climber peak rope glacier hut slope guide camp rock summit ledge path",
        "climb explore survey support warn leave secure lead",
        "steep high snowy rocky dangerous remote",
    ),
)
"""Sixteen topics, each with words of its own and a few shared with another."""
