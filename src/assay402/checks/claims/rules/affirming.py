"""Whether what the named values of a record affirm and deny is affirmed and denied in a claim."""

from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.fielded import Held, Slot, expressed
from assay402.checks.claims.rules.phrase import Phrase, told_as, words_for


def is_denied_status(phrase: Phrase, slot: Slot) -> bool:
    """Tell whether a status is the opposite of what a claim denies: unfulfilled, where it was not fulfilled."""
    if len(slot.words) != 1 or not slot.is_status or phrase.denials != 1:
        return False
    opposite = told_as()["opposites"].get(slot.words[0])
    return (
        opposite is not None
        and bool({opposite, stem(opposite)} & phrase.said)
        and all(expressed((part,), phrase.said) is not None for part in slot.parts[:-1])
    )


def _answers(phrase: Phrase, held: tuple[Held, ...]) -> list[Held]:
    """Give the values that say yes or no to what they are named for."""
    return [
        each
        for each in held
        if each.fact < 0 and (each.slot.is_yes or each.slot.is_no or is_denied_status(phrase, each.slot))
    ]


def agrees(phrase: Phrase, held: tuple[Held, ...]) -> bool:
    """Tell whether each yes and no among the values is one in the claim, and each denial of the claim one of them."""
    opposites = frozenset(told_as()["opposites"])
    denying = words_for("denying")
    answers = _answers(phrase, held)
    within = sum(low in each.slot.words for each in held if each not in answers for low in denying)
    denials = phrase.denials - within
    for each in answers:
        turned = bool(each.used & opposites) != bool(denials)
        if not is_denied_status(phrase, each.slot) and (each.slot.is_yes if turned else each.slot.is_no):
            return False
    if denials <= 0:
        return denials == 0
    stated = [each for each in held if not each.slot.names]
    beside = any(phrase.before(each.used) & denying for each in answers)  # `without errors` denies them alone
    return denials == 1 == len(answers) and (len(stated) == 1 or beside)


def denied_words(phrase: Phrase, held: tuple[Held, ...]) -> frozenset[str]:
    """Give the words of denial, where a value is one."""
    no = any(each.slot.is_no or is_denied_status(phrase, each.slot) for each in _answers(phrase, held))
    return words_for("denying") if no else frozenset()
