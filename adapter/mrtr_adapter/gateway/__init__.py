"""`mrtr wrap`: serves 2026-07-28 clients out of an old server that stays as it is.

    front (SDK server) → call → session ← pool          link: child process, or HTTP
                           ↕
                    flow of the engine, parked calls

Each call runs on an old session of its own, so that what the old server asks meanwhile belongs to that call.
"""
