"""English words that tell what kind of a sentence they stand in."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _words(
    "a an and any are as at be been but by can cannot do does each else for from has have if in "
    "into is it its may must no not of on only or other should so such than that the their then "
    "there these they this to was we were when where which while will with without you your"
)
"""At least one of these is in almost every sentence."""

VERBS = _words(
    "is are was were be has have had can cannot could will would shall should may might must do "
    "does don't doesn't isn't aren't can't won't returns raises gives takes uses contains means "
    "specifies determines controls allows defaults makes holds computes depends"
)
"""Forms that tell a sentence from a phrase such as `Number of columns to read.`"""

LEANING = _words(
    "Also Alternatively Additionally And Any As Besides But By Consequently Each Else Finally For "
    "Furthermore Here Hence However If In Instead It Its Moreover Nevertheless Note Or Otherwise "
    "Same See Similarly Since So Such That The Their Then There Therefore These They This Those "
    "Thus To When Whether"
)
"""First words of paragraphs that often lean on what stands before them."""
