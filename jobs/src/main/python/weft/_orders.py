"""The same statement with sparse operands stored in other orders: A(i,j) + A(j,i) needs A by rows and by columns."""

import itertools
import re

_ACCESS = re.compile(r"\b([A-Za-z_]\w*)\s*[(\[]\s*(\w+)\s*,\s*(\w+)\s*[)\]]")
_OTHER = {"csr": "csc", "csc": "csr", "coo": "csc"}
_COPY = {"csr": "by_rows", "csc": "by_columns"}
_MOST = 5  # accesses, which are 31 statements


def others(target, value, operands):
    """Pairs of a statement and its copies: the format and the operand of each by the name of the copy. Statements
    that copy few entries come first. target: the text of the result, up to `=`; value: what follows."""
    accesses = {match.groups() for match in _ACCESS.finditer(value) if hasattr(operands.get(match.group(1)), "tocsr")}
    accesses = sorted(access for access in accesses if access[1] != access[2])
    if len(accesses) > _MOST:
        return
    chosen = [some for count in range(1, len(accesses) + 1) for some in itertools.combinations(accesses, count)]
    for some in sorted(chosen, key=lambda some: sum(operands[name].nnz for name in {access[0] for access in some})):
        copies = {}
        for name in {access[0] for access in some}:
            kind = _OTHER[operands[name].format]
            copy = f"{name}_{_COPY[kind]}"
            while copy in operands or re.search(rf"\b{copy}\b", target + value):
                copy += "_"
            copies[copy] = kind, name
        named = {name: copy for copy, (_, name) in copies.items()}

        def renamed(match):
            return named[match.group(1)] + match.group()[len(match.group(1)):] if match.groups() in some else match.group()

        yield target + _ACCESS.sub(renamed, value), copies


def with_copies(operands, statement, copies, copied):
    """The operands of the statement with copies, which `copied` makes: of the others, those that it still has."""
    made = {copy: copied(name, operands[name], kind) for copy, (kind, name) in copies.items()}
    originals = {name for _, name in copies.values()}
    return made | {name: value for name, value in operands.items()
                   if name not in originals or re.search(rf"\b{name}\b", statement)}
