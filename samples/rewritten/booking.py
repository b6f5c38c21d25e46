"""The reservation book of a restaurant, written for mcp 1.x.

Talks to the guest in the middle of a call: finds another evening when the one asked for is full, and confirms before
it writes. The book is a SQLite file, BOOKING_DB (bookings.db); a new one begins with what is in bookings.csv.
"""

import csv
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from mrtr_steps import Step, Steps, form
from pydantic import BaseModel, Field

mcp = MCPServer("booking")

DATABASE = os.environ.get("BOOKING_DB", "bookings.db")
OLD_BOOK = Path(__file__).with_name("bookings.csv")
SEATS = 40
CLOSED_ON = 0  # Monday
LARGE_PARTY = 8
TRIES = 3


@dataclass
class Booking:
    name: str
    day: str
    guests: int


class AnotherDay(BaseModel):
    day: str = Field(description="Another evening, as 2026-12-31")


class Confirm(BaseModel):
    ok: bool = Field(description="Go ahead?")


class Contact(BaseModel):
    phone: str = Field(min_length=5, description="Where we can reach you")
    allergies: str = ""


def open_book() -> sqlite3.Connection:
    new = not os.path.exists(DATABASE)
    book = sqlite3.connect(DATABASE)
    if new:
        book.execute(
            "CREATE TABLE bookings"
            " (id INTEGER PRIMARY KEY, day TEXT, name TEXT, guests INTEGER, phone TEXT, notes TEXT)"
        )
        with OLD_BOOK.open(newline="") as rows, book:
            for row in csv.DictReader(rows):
                insert(book, row["day"], row["name"], int(row["guests"]), row["phone"], row["notes"])
    return book


def insert(book: sqlite3.Connection, day: str, name: str, guests: int, phone: str, notes: str) -> int:
    """The number of the new booking."""
    row = book.execute(
        "INSERT INTO bookings (day, name, guests, phone, notes) VALUES (?, ?, ?, ?, ?)",
        (day, name, guests, phone, notes),
    )
    return row.lastrowid or 0


def free_seats(day: date) -> int:
    if day.weekday() == CLOSED_ON:
        return 0
    with closing(open_book()) as book:
        taken = book.execute("SELECT sum(guests) FROM bookings WHERE day = ?", (str(day),)).fetchone()[0]
    return SEATS - (taken or 0)


def find_booking(number: int) -> Booking | None:
    with closing(open_book()) as book:
        found = book.execute("SELECT name, day, guests FROM bookings WHERE id = ?", (number,)).fetchone()
    return Booking(*found) if found else None


def parse_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def next_free_day(day: date, guests: int) -> str:
    for ahead in range(1, 60):
        candidate = day + timedelta(days=ahead)
        if free_seats(candidate) >= guests:
            return str(candidate)
    return "none"


async def agreed(ctx: Context, question: str, *, steps: Steps) -> bool | InputRequiredResult:
    """Whether the guest has said yes; anything else is a no."""
    answer = steps.form("answer", Confirm)
    if answer is None:
        return steps.ask(answer=form(question, Confirm))
    return answer.action == "accept" and answer.data.ok


class BookTableAnother(Step):
    step: Literal["another"] = "another"
    tries: int
    question: str


class BookTableContact(Step):
    step: Literal["contact"] = "contact"
    wanted: date | None


class BookTableOutcome(Step):
    step: Literal["outcome"] = "outcome"
    wanted: date | None
    notes: str
    phone: str


@mcp.tool()
async def book_table(name: str, day: str, guests: int, ctx: Context) -> str | InputRequiredResult:
    """Book a table for an evening, at the restaurant of this server."""
    steps = Steps(ctx)
    state = steps.resume(BookTableAnother, BookTableContact, BookTableOutcome)
    if state is None:
        if not 1 <= guests <= SEATS:
            return f"We seat 1 to {SEATS} guests."
        tries = 0
        wanted = parse_day(day)
    if not isinstance(state, (BookTableContact, BookTableOutcome)):
        while isinstance(state, BookTableAnother) or wanted is None or free_seats(wanted) < guests:
            if not isinstance(state, BookTableAnother):
                tries += 1
                if tries > TRIES:
                    return "No table found; please call us."
                if wanted is None:
                    question = f"{day!r} is no date. Which evening?"
                else:
                    question = (
                        f"{wanted} is full. The next free evening is {next_free_day(wanted, guests)}. Which one?"
                    )
            else:
                tries = state.tries
                question = state.question
            another = steps.form("another", AnotherDay)
            if another is None:
                return steps.ask(
                    BookTableAnother(tries=tries, question=question),
                    another=form(question, AnotherDay),
                )
            state = None
            if another.action != "accept":
                return "Nothing booked."
            day = another.data.day
            wanted = parse_day(day)

        phone, notes = "", ""
    else:
        wanted = state.wanted
    if not isinstance(state, BookTableOutcome):
        if guests >= LARGE_PARTY:
            contact = steps.form("contact", Contact)
            if contact is None:
                return steps.ask(
                    BookTableContact(wanted=wanted),
                    contact=form(f"For {guests} guests we need a phone number.", Contact),
                )
            if contact.action != "accept":
                return "Nothing booked: we need to reach parties of that size."
            phone, notes = contact.data.phone, contact.data.allergies
    else:
        notes = state.notes
        phone = state.phone

    outcome = await agreed(
        ctx,
        f"Book a table for {guests} on {wanted}, for {name}?",
        steps=steps.inner(BookTableOutcome),
    )
    if isinstance(outcome, InputRequiredResult):
        return steps.pass_on(BookTableOutcome(wanted=wanted, notes=notes, phone=phone), outcome)
    if not outcome:
        return "Nothing booked."
    with closing(open_book()) as book, book:
        number = insert(book, str(wanted), name, guests, phone, notes)
    return f"Booked: number {number}, {wanted}, {guests} guests."


class CancelBookingOutcome(Step):
    step: Literal["outcome"] = "outcome"
    found: Booking | None


@mcp.tool()
async def cancel_booking(number: int, ctx: Context) -> str | InputRequiredResult:
    """Cancel a booking by its number."""
    steps = Steps(ctx)
    state = steps.resume(CancelBookingOutcome)
    if state is None:
        found = find_booking(number)
        if found is None:
            return f"There is no booking {number}."
    else:
        found = state.found
    outcome = await agreed(
        ctx,
        f"Cancel the table of {found.name} for {found.guests} on {found.day}?",
        steps=steps.inner(CancelBookingOutcome),
    )
    if isinstance(outcome, InputRequiredResult):
        return steps.pass_on(CancelBookingOutcome(found=found), outcome)
    if not outcome:
        return "The booking stands."
    with closing(open_book()) as book, book:
        book.execute("DELETE FROM bookings WHERE id = ?", (number,))
    return f"Booking {number} is cancelled."


if __name__ == "__main__":
    mcp.run()
