"""Go along the tokens of an expression, and say what cannot stand where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.expressions.lexing import Token, tokens
from comparanda.expressions.places import failure, shown
from comparanda.expressions.syntax import Place

if TYPE_CHECKING:
    from comparanda.errors import ExpressionError


class Cursor:
    """A place between two tokens: `previous` is used, `current` is not yet."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = tokens(source)
        self.previous: Token | None = None
        self.current = next(self.tokens)

    def take(self) -> Token:
        """Go past a token and return it; the end is never passed."""
        self.previous, self.current = self.current, next(self.tokens, self.current)
        return self.previous

    def since(self, start: int) -> Place:
        """Return the place from a start up to the last token taken."""
        assert self.previous is not None
        return Place(start, self.previous.place.end)

    def close(self, opening: Token, closing: str) -> None:
        """Take the bracket that closes another."""
        if self.current.kind == "end":
            raise failure(self.source, opening.place, f"the '{opening.written}' is not closed")
        if not self.current.one_of(closing):
            raise self.leftover(closing)
        self.take()

    def no_operand(self) -> ExpressionError:
        """Make the error for a token with which no expression can begin."""
        token = self.current
        if token.one_of("for", "if"):
            return self.reserved(token)
        if self.previous is not None:
            what = f"expected an expression after {shown(self.previous.written)}"
        elif token.kind == "end":
            what = "the expression is empty"
        else:
            what = f"expected an expression before {shown(token.written)}"
        hint = None
        if token.one_of("["):
            hint = "(lists stand on the right of 'in' only)"
        elif self.previous is not None and self.previous.one_of("%"):
            hint = "(a percentage is written without a space, as in 5%)"
        return failure(self.source, token.place, what, hint=hint)

    def reserved(self, token: Token) -> ExpressionError:
        """Make the error for a word that has no use yet."""
        hint = f"(a column of that name is written `{token.written}`, in backticks)"
        return failure(self.source, token.place, f"'{token.written}' is a reserved word", hint=hint)

    def leftover(self, closing: str = "") -> ExpressionError:
        """Make the error for a token that cannot follow a complete expression."""
        token = self.current
        hint = None
        if token.one_of("for", "if"):
            return self.reserved(token)
        if token.one_of(")", "]"):
            what = (
                f"expected '{closing}', not '{token.written}'" if closing else f"the '{token.written}' closes nothing"
            )
        elif token.one_of(","):
            what = "a ',' stands only between the arguments of a function or the items of a list"
        else:
            what = f"expected an operator before {shown(token.written)}"
        if token.kind == "name" and token.written.lower() == "is":
            what, hint = "'is' is not an operator here; write '=='", "(to find missing values write is_missing(x))"
        return failure(self.source, token.place, what, hint=hint)
