"""The conversation of a support agent that uses the toolset `returns`, from who asks to the end of
ten turns, on the day for which the demo data was made. The Node clients hold the same one.
"""

import json

TOOLS = [
    "check_return_eligibility",
    "escalate_to_human",
    "get_billing_status",
    "lookup_order",
    "process_return",
]

ARGUMENTS = ["--toolsets", "returns", "--demo", "returns", "--today", "2026-08-11"]


async def conversation(server, tools, check, equal, true, content):
    """`check`, `equal` and `true` are those of the client; `content` gives the structured content of a
    call that succeeds, valid by the published schema."""

    async def problem(tool, arguments):
        """Code, category and details of a call that is refused with a structured error."""
        code, text = await server.refusal(tool, arguments)
        error = json.loads(text)["error"]
        equal(error["code"], code)
        true(len(error["message"]) > 10, text)
        return error["code"], error["category"], error["details"]

    async with check("returns: five tools, sorted by name"):
        equal(list(tools), TOOLS)
        writes = {name: tool.annotations.read_only_hint is False for name, tool in tools.items()}
        equal([name for name in TOOLS if writes[name]], ["escalate_to_human", "process_return"])

    async with check("returns: the agent's prompt is served in two languages"):
        prompts = (await server.session.list_prompts()).prompts
        equal([prompt.name for prompt in prompts], ["support_desk"])
        texts = []
        for language in ["en", "ja"]:
            got = await server.session.get_prompt("support_desk", {"language": language})
            texts.append(got.messages[0].content.text)
        true("lookup_order" in texts[0] and texts[0].isascii(), texts[0])
        true("オペレーター" in texts[1], texts[1])

    orders = []
    async with check("returns: an address that is only similar is nobody"):
        similar = {"user_id": "ami.murasaka@example.com"}
        equal(await problem("lookup_order", similar), ("USER_NOT_FOUND", "NOT_FOUND", similar))
        found = await content("lookup_order", {"user_id": "AMI.MURASAKI@example.com"})
        equal(found["user"]["user_id"], "Ami.Murasaki@example.com")
        equal(found["order_count"], 3)
        orders = found["orders"]
        dates = [order["order_date"] for order in orders]
        equal(dates, ["2026-08-01", "2026-07-01", "2026-06-01"])

    async with check("returns: August's order can be returned, July's and June's cannot"):
        judged = []
        for order in orders:
            arguments = {"order_id": order["order_id"]}
            one = await content("check_return_eligibility", arguments)
            judged.append(
                (one["eligible"], one["reason"], one["deadline_date"], one["days_elapsed"])
            )
        equal(
            judged,
            [
                (True, "OK", "2026-09-01", 10),
                (False, "EXPIRED", "2026-08-01", 41),
                (False, "EXPIRED", "2026-07-01", 71),
            ],
        )

    async with check("returns: the return, its message, and its retry"):
        order_id = orders[0]["order_id"]
        arguments = {"order_id": order_id, "reason": "Broken", "idempotency_key": "py-return"}
        made = await content("process_return", arguments)
        equal(made["notification"]["to"], "Ami.Murasaki@example.com")
        true(made["return_id"] in made["notification"]["body"], made["notification"]["body"])
        equal(await content("process_return", arguments), made | {"replayed": True})
        code, category, _ = await problem("process_return", arguments | {"reason": "Other"})
        equal((code, category), ("IDEMPOTENCY_CONFLICT", "STATE_CONFLICT"))
        equal(
            await problem("process_return", {"order_id": order_id, "reason": "Again"}),
            (
                "RETURN_NOT_ELIGIBLE",
                "BUSINESS_RULE",
                {
                    "order_id": order_id,
                    "reason": "ALREADY_RETURNED",
                    "deadline_date": "2026-09-01",
                },
            ),
        )
        late = {"order_id": orders[1]["order_id"], "reason": "Too late"}
        equal((await problem("process_return", late))[2]["reason"], "EXPIRED")
        now = await content("lookup_order", {"user_id": "ami.murasaki@example.com"})
        equal([order["returned"] for order in now["orders"]], [True, False, False])

    async with check("returns: what is to be paid, and how"):
        bills = await content("get_billing_status", {"user_id": "goshi.tanabe@example.com"})
        unpaid = [bill for bill in bills["billing"] if bill["billing_status"] == "unpaid"]
        equal(bills["unpaid_count"], len(unpaid))
        true(0 < len(unpaid) < len(bills["billing"]), "paid and unpaid are mixed")
        for bill in bills["billing"]:
            equal("payment_instructions" in bill, bill in unpaid)
            equal(bill["returned"], False)

    async with check("returns: ten turns with a person, then no more"):
        for turn in range(1, 11):
            arguments = {"session_id": "py-talk", "user_message": f"Message {turn} 👋"}
            answer = await content("escalate_to_human", arguments)
            status = {5: "confirm_close", 10: "force_closed"}.get(turn, "active")
            equal(
                (answer["turn_count"], answer["status"], answer["received_message"]),
                (turn, status, arguments["user_message"]),
            )
            true(answer["guidance"].startswith(f"Turn {turn} of 10"), answer["guidance"])
        more = {"session_id": "py-talk", "user_message": "One more"}
        equal(
            await problem("escalate_to_human", more),
            ("SESSION_CLOSED", "STATE_CONFLICT", {"session_id": "py-talk"}),
        )

    async with check("returns: bad arguments are a result with every problem in it"):
        code, category, details = await problem("process_return", {"reason": " ", "note": 1})
        equal((code, category), ("INVALID_INPUT", "VALIDATION"))
        equal(
            [(issue["path"], issue["code"]) for issue in details["issues"]],
            [
                (["order_id"], "required"),
                (["reason"], "too_short"),
                (["note"], "unknown_key"),
            ],
        )
