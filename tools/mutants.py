"""Finds what can be changed in a header by one token: operators, constants, statements, arguments.

The sources are laid out by clang-format, so a binary operator has white space on both sides, and
the brackets of a template and the star of a pointer have not.
"""
import dataclasses
import hashlib
import re

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<directive>^[ \t]*#(?:\\\n|[^\n])*)"
    r'|(?P<string>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*")'
    r"|(?P<number>(?:0[xX][0-9a-fA-F']+|0[bB][01']+|(?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?)"
    r"\w*)"
    r"|(?P<character>'(?:\\.|[^'\\\n])+')"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<sign><=>|<<=|>>=|\.\.\.|->|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S)",
    re.DOTALL | re.MULTILINE)

BINARY = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"],
          "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="],
          "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
          "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"]}
WORDS = {"min": ["max"], "max": ["min"], "fmin": ["fmax"], "fmax": ["fmin"],
         "true": ["false"], "false": ["true"]}
SYMMETRIC = {"min", "max", "fmin", "fmax", "gcd", "lcm", "hypot"}
KEYWORDS = set("""alignas auto break case catch class concept const constexpr consteval constinit
    continue default do else enum explicit export extern for friend if inline mutable namespace
    operator private protected public requires return static static_assert struct switch template
    throw try typedef typename union using virtual volatile while co_return co_yield""".split())
OPENING = {"(": ")", "[": "]", "{": "}"}
FINITE = 1e100  # a bound that only infinity passes: no number near it differs


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    begin: int
    end: int


@dataclasses.dataclass(frozen=True)
class Site:
    """A place that can be changed, and what it can become."""
    file: str
    begin: int
    end: int
    line: int        # from 1
    text: str        # of that line, stripped
    nth: int         # which of the same token on the line, from 1
    same: int        # which of the same change on the same line of the file, from 1
    old: str
    choices: tuple

    def drawn(self, seed):
        """A number that orders the sites at random: it stays when other lines change."""
        return int(digest(seed, self.file, self.text, self.old, self.nth,
                          self.same, self.choices), 16)

    def replacement(self, seed):
        return self.choices[self.drawn(f"{seed} replacement") % len(self.choices)]


def digest(*parts):
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def tokens_of(text):
    """Tokens of code: comments, directives, attributes and static assertions are left out."""
    kept = []
    for match in TOKEN.finditer(text):
        if match.lastgroup not in ("comment", "directive"):
            kind = "string" if match.lastgroup == "mark" else match.lastgroup
            kept.append(Token(kind, match[0], match.start(), match.end()))
    code = []
    skipped_to = -1
    for i, token in enumerate(kept):
        if i <= skipped_to:
            continue
        if token.text == "static_assert" and i + 1 < len(kept):
            skipped_to = closing(kept, i + 1)
        elif token.text == "[" and i + 1 < len(kept) and kept[i + 1].text == "[":
            skipped_to = closing(kept, i)
        else:
            code.append(token)
    return code


def closing(tokens, opening):
    """The index of the bracket that closes the one at `opening`."""
    depth = 0
    for i in range(opening, len(tokens)):
        if tokens[i].kind == "sign":
            depth += (tokens[i].text in OPENING) - (tokens[i].text in OPENING.values())
            if depth == 0:
                return i
    return len(tokens) - 1


def other_numbers(text):
    """Numbers near this one, with its suffix."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[\d'.]+(?:[eE][+-]?\d+)?)(\w*)", text)
    digits, suffix = match[1].replace("'", ""), match[2]
    if re.fullmatch(r"\d+|0[xXbB].*", digits) and suffix not in ("f", "F"):
        value = int(digits, 10 if digits.isdigit() else 0)
        return [f"{near}{suffix}" for near in (value + 1, value - 1) if near >= 0]
    value = float(digits)
    if value >= FINITE:
        return [f"1.0{suffix}"]
    near = {value + 1, 2 * value, 0.0} - {value}
    return [f"{other!r}{suffix}" for other in sorted(near)]


def is_finite_bound(token):
    return token.kind == "number" and "e" in token.text and \
        float(re.match(r"[\d.]+e?[+-]?\d*", token.text)[0]) >= FINITE


def single_token_changes(text, tokens):
    """(begin, end, choices) of operators, constants and words."""
    for i, token in enumerate(tokens):
        before = text[token.begin - 1:token.begin]
        after = text[token.end:token.end + 1]
        apart = before.isspace() and after.isspace()
        choices = []
        if token.kind == "number":
            choices = other_numbers(token.text)
        elif token.kind == "word":
            choices = WORDS.get(token.text, [])
        elif token.text in BINARY and apart:
            choices = BINARY[token.text]
            if any(is_finite_bound(near) for near in tokens[i + 1:i + 4]):
                own = token.text.rstrip("=")
                choices = [choice for choice in choices if choice.rstrip("=") != own]
        elif token.text in ("!", "-") and not after.isspace() and \
                tokens[i - 1].text != "operator":
            choices = [""]
        if choices:
            yield token.begin, token.end, choices


def statements(tokens):
    """(first, last) index of statements that are calls or assignments; the last is the `;`."""
    for i, token in enumerate(tokens[:-1]):
        if token.kind != "word" or token.text in KEYWORDS:
            continue
        if i == 0 or tokens[i - 1].text not in (";", "{", "}", ")", "else"):
            continue
        if tokens[i + 1].kind == "word" or tokens[i + 1].text in ("<", ":", ",", "{"):
            continue
        end = i
        while end < len(tokens) and tokens[end].text not in (";", "}"):
            end = closing(tokens, end) + 1 if tokens[end].text in OPENING else end + 1
        body = [t.text for t in tokens[i:end]]
        acts = "(" in body or any(text.endswith("=") for text in body)
        if end < len(tokens) and tokens[end].text == ";" and acts and not declares(tokens[i:end]):
            yield i, end


def declares(statement):
    """Whether it names a type and then a variable: two words, or a type of a template."""
    for before, token in zip(statement, statement[1:]):
        if token.text in ("(", "[", "=", ".", "->"):
            return False
        if token.kind == "word" and (before.kind == "word" or before.text in (">", "&", "*")):
            return True
    return False


def returned_values(tokens):
    """(first, last) index of what is returned, where that is more than one token."""
    for i, token in enumerate(tokens):
        if token.text != "return":
            continue
        end = i + 1
        while end < len(tokens) and tokens[end].text != ";":
            end = closing(tokens, end) + 1 if tokens[end].text in OPENING else end + 1
        text = "".join(t.text for t in tokens[i + 1:end])
        if end - i > 2 and text not in ("{}", "*this", "std::nullopt"):
            yield i + 1, end - 1


def conditions(tokens):
    """(first, last) index of each condition of an `if` that declares nothing."""
    for i, token in enumerate(tokens[:-1]):
        if token.text == "if" and tokens[i + 1].text == "(":
            end = closing(tokens, i + 1)
            inside = [t.text for t in tokens[i + 2:end]]
            if ";" not in inside and "=" not in inside:
                yield i + 2, end - 1


def arguments(tokens):
    """Pairs of (first, last) index of every two neighbouring arguments of a call."""
    for i, token in enumerate(tokens[:-1]):
        if token.kind != "word" or tokens[i + 1].text != "(" or token.text in KEYWORDS:
            continue
        if i > 0 and (tokens[i - 1].kind == "word" and tokens[i - 1].text != "return"):
            continue  # a declaration
        end = closing(tokens, i + 1)
        parts, first, at = [], i + 2, i + 2
        while at < end:
            if tokens[at].text == ",":
                parts.append((first, at - 1))
                first = at + 1
            at = closing(tokens, at) + 1 if tokens[at].text in OPENING else at + 1
        parts.append((first, end - 1))
        if token.text not in SYMMETRIC and token.text != "require":
            for left, right in zip(parts, parts[1:]):
                both = [tokens[a:b + 1] for a, b in (left, right)]
                if all(both) and not any(declares(part) for part in both):
                    yield left, right


def changes_of(text, tokens):
    """(begin, end, choices) of every place."""
    yield from single_token_changes(text, tokens)
    for first, last in statements(tokens):
        yield tokens[first].begin, tokens[last].end, [";"]
    for first, last in returned_values(tokens):
        yield tokens[first].begin, tokens[last].end, ["{}"]
    for first, last in conditions(tokens):
        begin, end = tokens[first].begin, tokens[last].end
        yield begin, end, [f"!({text[begin:end]})"]
    for left, right in arguments(tokens):
        one = text[tokens[left[0]].begin:tokens[left[1]].end]
        other = text[tokens[right[0]].begin:tokens[right[1]].end]
        if one != other:
            yield tokens[left[0]].begin, tokens[right[1]].end, [f"{other}, {one}"]


def sites_of(file, text):
    """Every place of a header that can be changed: none where a script wrote it."""
    if "/// Written by tools/" in text or ".  Written by tools/" in text:
        return
    counts = {}
    for begin, end, choices in sorted(changes_of(text, tokens_of(text)), key=lambda c: c[:2]):
        line = text.count("\n", 0, begin) + 1
        start = text.rfind("\n", 0, begin) + 1
        stop = text.find("\n", begin)
        old = text[begin:end]
        shown = text[start:stop].strip()
        nth = counts[line, old] = counts.get((line, old), 0) + 1
        same = counts[shown, old, nth] = counts.get((shown, old, nth), 0) + 1
        yield Site(file, begin, end, line, shown, nth, same, " ".join(old.split()), tuple(choices))
