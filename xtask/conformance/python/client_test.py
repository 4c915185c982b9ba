"""The official Python client against the real server, over stdio and over HTTP.

    python client_test.py SERVER SCRATCH

SERVER is the binary, SCRATCH an empty directory. One line a check, then a closing line; exit code
1 if a check failed.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import jsonschema
import mcp.client.stdio as stdio
from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

import returns

SERVER, SCRATCH = sys.argv[1], Path(sys.argv[2])

# Running out of it means that something hangs; nothing is slow here.
DEADLINE = 60.0

TOOLS = ["get_customer_record", "get_refund", "list_refunds", "preview_refund", "trigger_refund"]
UUID_V4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

passed = failed = 0


@asynccontextmanager
async def check(name):
    """One check: it passed if its block ends without an exception."""
    global passed, failed
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is, the check failed
        failed += 1
        text = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"FAIL {name}: {text[:600]}", flush=True)
    else:
        passed += 1
        print(f"ok   {name}", flush=True)


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"found {found!r} instead of {wanted!r}")


def true(condition, what):
    if not condition:
        raise AssertionError(what)


class Server:
    """A running server with a session; `kill` ends it as a power cut would."""

    def __init__(self, session, process, log):
        self.session, self.process, self.log = session, process, log

    async def list(self):
        return {tool.name: tool for tool in (await self.session.list_tools()).tools}

    async def call(self, tool, arguments):
        return await self.session.call_tool(tool, arguments)

    async def content(self, tool, arguments):
        """The structured content of a call that succeeds, once it agrees with its text block."""
        result = await self.call(tool, arguments)
        true(not result.is_error, f"refused: {result.content}")
        equal([block.type for block in result.content], ["text"])
        equal(json.loads(result.content[0].text), result.structured_content)
        return result.structured_content

    async def refusal(self, tool, arguments):
        """Code and text of a call that is refused."""
        result = await self.call(tool, arguments)
        true(result.is_error, f"not refused: {result.structured_content}")
        true(result.structured_content is None, "a refusal carries no structured content")
        equal([block.type for block in result.content], ["text"])
        return (result.meta or {}).get("refund-mcp/code"), result.content[0].text

    async def error(self, tool, arguments):
        """The protocol error of a call."""
        try:
            result = await self.call(tool, arguments)
        except MCPError as error:
            return error
        raise AssertionError(f"no protocol error: {result}")

    async def issues(self, tool, arguments):
        """Path and code of every problem with the arguments of a call."""
        error = await self.error(tool, arguments)
        equal(error.code, -32602)
        equal(error.message, f"Invalid arguments for tool {tool}")
        true(all(issue["message"] for issue in error.data["issues"]), "every issue has a message")
        return [(issue["path"], issue["code"]) for issue in error.data["issues"]]

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)


# Which transport the checks run over, set by `main`.
over_http = False

TOKEN = "a-token-for-the-conformance-run"


@asynccontextmanager
async def listening(database, arguments):
    """Starts the server over HTTP: its process, its address, and its log."""
    process = await asyncio.create_subprocess_exec(
        *[SERVER, "http", "--port", "0", *arguments, "--database", database],
        *["--rate-limit", "100000", "--rate-burst", "100000"],
        env=os.environ | {"MCP_HTTP_TOKEN": TOKEN},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    address = None
    async for line in process.stderr:
        address = json.loads(line).get("address")
        if address:
            break
    true(address, "the server does not listen")
    rest = asyncio.create_task(process.stderr.read())
    try:
        yield process, f"http://{address}/mcp"
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await rest


@asynccontextmanager
async def server(database, arguments=("--toolsets", "refunds")):
    """Starts the server, and connects to it through the SDK's own transport."""
    if over_http:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with (
            listening(database, arguments) as (process, url),
            create_mcp_http_client(headers=headers) as client,
            streamable_http_client(url, http_client=client) as (read, write, *_),
            ClientSession(read, write, read_timeout_seconds=DEADLINE) as session,
        ):
            yield Server(session, process, None)
        return
    started = []
    spawn = stdio._create_platform_compatible_process

    # The transport does not give its process away, and a check must kill it.
    async def remember(*args, **kwargs):
        process = await spawn(*args, **kwargs)
        started.append(process)
        return process

    stdio._create_platform_compatible_process = remember
    try:
        with open(SCRATCH / "python.log", "a+", encoding="utf-8") as log:
            parameters = StdioServerParameters(command=SERVER, args=[*arguments, "--database", database])
            async with stdio.stdio_client(parameters, errlog=log) as (read, write):
                async with ClientSession(read, write, read_timeout_seconds=DEADLINE) as session:
                    yield Server(session, started[0], log)
    finally:
        stdio._create_platform_compatible_process = spawn


def schemas(node):
    """Every object in a schema that describes an object or a property."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from schemas(value)
    elif isinstance(node, list):
        for value in node:
            yield from schemas(value)


def described(schema, where):
    """No property without a description, and nothing undeclared, on any level."""
    for node in schemas(schema):
        if isinstance(node.get("properties"), dict):
            equal((where, node.get("additionalProperties")), (where, False))
            for name, value in node["properties"].items():
                true(value.get("description"), f"{where}.{name} has no description")


def portable(schema, where):
    """What every client takes."""
    for word in ("anyOf", "oneOf", "allOf", "not"):
        true(word not in schema, f"{where} has a top-level {word}")
    for node in schemas(schema):
        true("$schema" not in node and "const" not in node, f"{where} has $schema or const")
        true(not isinstance(node.get("type"), list), f"{where} has a list of types")
        properties = node.get("properties")
        if isinstance(properties, dict):
            true(all(isinstance(v, dict) for v in properties.values()), f"{where}: boolean schema")


def refund(amount, key=None, customer="CUST-00001", reason="The parcel arrived damaged"):
    arguments = {"customer_id": customer, "amount": amount, "reason": reason}
    return arguments | ({"idempotency_key": key} if key else {})


async def in_memory(server):
    async with check("initialize names the server and offers tools"):
        hello = await server.session.initialize()
        equal(hello.server_info.name, "refund-mcp")
        true(hello.server_info.version, "no version")
        true(hello.capabilities.tools is not None, "no tools offered")
        true(hello.instructions, "no instructions")

    tools = await server.list()

    async with check("five tools, sorted by name"):
        equal(list(tools), TOOLS)

    for name, tool in tools.items():
        async with check(f"{name} is described in full"):
            true(tool.title and tool.description, "no title or description")
            described(tool.input_schema, f"{name} input")
            described(tool.output_schema, f"{name} output")
            portable(tool.input_schema, f"{name} input")
            portable(tool.output_schema, f"{name} output")
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            hints = tool.annotations
            writes = name == "trigger_refund"
            equal((hints.read_only_hint, hints.destructive_hint), (not writes, writes))
            true(hints.idempotent_hint is not None, "no idempotent hint")
            true(hints.open_world_hint is not None, "no open-world hint")

    async def content(tool, arguments):
        value = await server.content(tool, arguments)
        jsonschema.Draft202012Validator(tools[tool].output_schema).validate(value)
        return value

    async def balance():
        record = await content("get_customer_record", {"customer_id": "CUST-00001"})
        return record["refundableBalance"]

    async with check("a customer's record, valid by the published schema"):
        equal(
            await content("get_customer_record", {"customer_id": "CUST-00001"}),
            {
                "customerId": "CUST-00001",
                "name": "Alice Johnson",
                "email": "alice.johnson@example.com",
                "status": "active",
                "currency": "USD",
                "refundableBalance": 500,
                "createdAt": "2024-01-15T09:30:00.000Z",
            },
        )

    async with check("whole amounts have no decimals in the text"):
        result = await server.call("get_customer_record", {"customer_id": "CUST-00001"})
        true('"refundableBalance":500,' in result.content[0].text, result.content[0].text)

    async with check("a preview moves nothing"):
        preview = await content("preview_refund", refund(10.10))
        equal(preview["wouldSucceed"], True)
        equal(preview["remainingRefundableBalance"], 489.9)
        true("refusal" not in preview, "a refusal where there is none")
        equal(await balance(), 500)

    async with check("a preview of a refusal says which"):
        preview = await content("preview_refund", refund(600))
        equal(preview["wouldSucceed"], False)
        equal(preview["refusal"]["code"], "EXCEEDS_BALANCE")

    first = {}
    async with check("a refund"):
        first = await content("trigger_refund", refund(10.10, "py-1", reason="  A broken cup  "))
        true(UUID_V4.fullmatch(first["refundId"]), first["refundId"])
        true(INSTANT.fullmatch(first["processedAt"]), first["processedAt"])
        equal(first["reason"], "A broken cup")
        equal((first["customerId"], first["amount"]), ("CUST-00001", 10.1))
        equal((first["currency"], first["status"]), ("USD", "processed"))
        equal(first["remainingRefundableBalance"], 489.9)
        true(not first.get("replayed"), "a first refund is no replay")

    async with check("a refund without a key has exactly the documented fields"):
        plain = await content("trigger_refund", refund(0.1))
        equal(
            sorted(plain),
            ["amount", "currency", "customerId", "processedAt", "reason", "refundId"]
            + ["remainingRefundableBalance", "status"],
        )
        equal(plain["remainingRefundableBalance"], 489.8)

    async with check("the same call with its key is replayed and moves nothing"):
        again = await content("trigger_refund", refund(10.10, "py-1", reason="A broken cup"))
        equal(again, first | {"replayed": True})
        equal(await balance(), 489.8)

    async with check("the same key with another amount is refused"):
        code, text = await server.refusal("trigger_refund", refund(11, "py-1"))
        equal(code, "IDEMPOTENCY_CONFLICT")
        true(first["refundId"] in text and "10.10 USD" in text, text)

    async with check("more than the balance is refused, word for word"):
        equal(
            await server.refusal("trigger_refund", refund(600)),
            (
                "EXCEEDS_BALANCE",
                "Refund of 600.00 USD exceeds the refundable balance of 489.80 USD for customer CUST-00001.",
            ),
        )

    async with check("a suspended customer is refused, word for word"):
        equal(
            await server.refusal("trigger_refund", refund(1, customer="CUST-00002")),
            (
                "CUSTOMER_SUSPENDED",
                "Customer CUST-00002 is suspended. Refunds are only issued to active customers.",
            ),
        )

    async with check("an unknown customer is refused, word for word"):
        for tool, arguments in [
            ("trigger_refund", refund(1, customer="CUST-99999")),
            ("get_customer_record", {"customer_id": "CUST-99999"}),
        ]:
            equal(
                await server.refusal(tool, arguments),
                ("CUSTOMER_NOT_FOUND", "Customer CUST-99999 was not found."),
            )

    async with check("every problem of bad arguments comes in one answer"):
        equal(
            await server.issues(
                "trigger_refund",
                {"note": True, "customer_id": "cust-1", "amount": "10.00", "reason": "short"},
            ),
            [
                (["customer_id"], "pattern"),
                (["amount"], "invalid_type"),
                (["reason"], "too_short"),
                (["note"], "unknown_key"),
            ],
        )

    async with check("missing arguments are named"):
        names = [["customer_id"], ["amount"], ["reason"]]
        equal(
            await server.issues("trigger_refund", {}), [(name, "required") for name in names]
        )
        equal(await server.issues("get_customer_record", None), [([], "required")])

    async with check("three decimals are refused with the documented message"):
        error = await server.error("trigger_refund", refund(10.001))
        equal(
            error.data["issues"],
            [
                {
                    "path": ["amount"],
                    "code": "custom",
                    "message": "amount must have at most 2 decimal places",
                }
            ],
        )

    async with check("nothing is coerced, no limit is off by one"):
        for amount, code in [
            (0, "too_small"),
            (-1, "too_small"),
            (1_000_000.01, "too_big"),
            (True, "invalid_type"),
            (None, "invalid_type"),
        ]:
            equal(await server.issues("trigger_refund", refund(amount)), [(["amount"], code)])
        for customer in ["CUST-0000", "CUST-000011", "cust-00001", " CUST-00001", "CUST-٠٠٠٠١"]:
            equal(
                await server.issues("get_customer_record", {"customer_id": customer}),
                [(["customer_id"], "pattern")],
            )

    async with check("an unknown tool is a protocol error"):
        error = await server.error("nope", {})
        equal((error.code, error.message), (-32602, "Unknown tool: nope"))

    async with check("a refund is found by its id and by its key"):
        for arguments in [{"refund_id": first["refundId"]}, {"idempotency_key": "py-1"}]:
            found = await content("get_refund", arguments)
            equal(found["refundId"], first["refundId"])
            equal((found["amount"], found["remainingRefundableBalance"]), (10.1, 489.9))

    async with check("a refund that is not there is refused"):
        code, _ = await server.refusal("get_refund", {"idempotency_key": "py-none"})
        equal(code, "REFUND_NOT_FOUND")

    async with check("refunds are listed newest first, page by page"):
        await content("trigger_refund", refund(1.25))
        listed, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            arguments = {"customer_id": "CUST-00001", "limit": 2}
            page = await content(
                "list_refunds", arguments | ({"cursor": cursor} if cursor else {})
            )
            equal((page["customerId"], page["total"]), ("CUST-00001", 3))
            listed += page["refunds"]
            cursor, pages = page.get("nextCursor"), pages + 1
        equal((pages, [entry["amount"] for entry in listed]), (2, [1.25, 0.1, 10.1]))

    async with check("calls at once with one key make one refund"):
        before = await balance()
        receipts = await asyncio.gather(
            *(content("trigger_refund", refund(2, "py-many")) for _ in range(20))
        )
        equal(len({receipt["refundId"] for receipt in receipts}), 1)
        equal(sum(not receipt.get("replayed") for receipt in receipts), 1)
        equal(await balance(), before - 2)

    async with check("calls at once never overdraw"):
        before = await balance()
        results = await asyncio.gather(
            *(server.call("trigger_refund", refund(50)) for _ in range(20))
        )
        made = sum(not result.is_error for result in results)
        equal(made, int(before // 50))
        equal(round(await balance() * 100), round(before * 100) - made * 5000)


async def stateless(server):
    async with check("the revision without a handshake is served"):
        found = await server.session.discover()
        true("2026-07-28" in found.supported_versions, found.supported_versions)
        equal(list(await server.list()), TOOLS)
        made = await server.content("trigger_refund", refund(10.10, "py-1"))
        equal(made["remainingRefundableBalance"], 489.9)
        error = await server.error("nope", {})
        equal((error.code, error.message), (-32602, "Unknown tool: nope"))


async def returns_desk(server):
    async with check("returns: initialize offers tools and prompts"):
        hello = await server.session.initialize()
        true(hello.capabilities.prompts is not None, "no prompts offered")
        true("lookup_order" in hello.instructions, hello.instructions)
    tools = await server.list()

    async def content(tool, arguments):
        value = await server.content(tool, arguments)
        jsonschema.Draft202012Validator(tools[tool].output_schema).validate(value)
        return value

    await returns.conversation(server, tools, check, equal, true, content)


async def durable():
    database = f"sqlite:{SCRATCH / ('python-http.db' if over_http else 'python.db')}"
    made = {}
    async with check("demo customers are imported into a file"):
        command = [SERVER, "import", "--demo", "refunds", "--database", database]
        subprocess.run(command, check=True, capture_output=True, timeout=DEADLINE)
    async with check("a refund is answered, then the server is killed"):
        async with server(database) as first:
            await first.session.initialize()
            made = await first.content("trigger_refund", refund(25, "py-durable"))
            first.kill()
            equal(await first.process.wait(), -signal.SIGKILL)
    async with server(database) as second:
        await second.session.initialize()
        async with check("after the restart its key finds it"):
            found = await second.content("get_refund", {"idempotency_key": "py-durable"})
            equal(found["refundId"], made["refundId"])
        async with check("a retry of it is replayed"):
            again = await second.content("trigger_refund", refund(25, "py-durable"))
            equal(again, made | {"replayed": True})
        async with check("the balance is right"):
            record = await second.content("get_customer_record", {"customer_id": "CUST-00001"})
            equal(record["refundableBalance"], 475)


WARRANTY = [
    "check_warranty_coverage",
    "find_customer",
    "find_device",
    "get_fee_quote",
    "get_open_returns_for_device",
    "resolve_shipping_address",
    "search_devices",
]
TODAY = "2026-03-01"


async def warranty(server):
    """A unit that is dead on arrival and out of warranty: what happens, and what does it cost?"""
    await server.session.initialize()
    tools = await server.list()

    async with check("the warranty desk only reads, and is described in full"):
        equal(list(tools), WARRANTY)
        for name, tool in tools.items():
            true(tool.annotations.read_only_hint, f"{name} does not say that it only reads")
            described(tool.input_schema, f"{name} input")
            described(tool.output_schema, f"{name} output")
            portable(tool.input_schema, f"{name} input")
            portable(tool.output_schema, f"{name} output")

    async def content(tool, arguments):
        value = await server.content(tool, arguments)
        jsonschema.Draft202012Validator(tools[tool].output_schema).validate(value)
        return value

    unit = {"identifier": "AX2-0001-0005", "today": TODAY}

    async with check("AX2-0001-0005 is dead on arrival and out of warranty: what happens?"):
        device = (await content("find_device", unit))["device"]["deviceId"]
        equal((await content("get_open_returns_for_device", {"deviceId": device}))["count"], 0)
        judged = await content(
            "check_warranty_coverage", unit | {"problemDescription": "dead on arrival"}
        )
        equal(
            (judged["identified"], judged["eligibility"], judged["reason"]),
            (True, "EligibleForPaidRepair", "OutOfWarranty"),
        )
        equal(judged["allowsRmaCreation"], False)

    async with check("what does it cost? 69.00 USD"):
        quoted = await content("get_fee_quote", unit)
        equal((quoted["repairFee"], quoted["currencyCode"]), (69, "USD"))
        equal((quoted["planIsCovered"], quoted["allowsRmaCreation"]), (False, False))

    async with check("what is not identified has no price, what is suppressed is not shown"):
        near = unit | {"identifier": "AX2-0001-0006"}
        equal((await content("check_warranty_coverage", near))["identified"], False)
        true("repairFee" not in await content("get_fee_quote", near), "a fee for no unit")
        hidden = await content("find_device", {"identifier": "AX2-0001-0002"})
        equal((hidden["found"], hidden["suppressed"], "device" in hidden), (True, True, False))

    async with check("a customer and an address, or an honest no"):
        found = await content("find_customer", {"externalCustomerId": "EXT-10001"})
        equal(found["matchCount"], 1)
        address = {"customerId": found["customers"][0]["customerId"], "freeTextAddress": "US"}
        answer = await content("resolve_shipping_address", address)
        equal((answer["resolved"], answer["isFallback"]), (False, True))
        true((await content("search_devices", {}))["refusalReason"], "no reason")

    async with check("a day that is none and a key that is none are refused together"):
        equal(
            await server.issues(
                "check_warranty_coverage", unit | {"today": "2026-02-30", "aiConfidence": 1}
            ),
            [(["today"], "custom"), (["aiConfidence"], "unknown_key")],
        )


async def main():
    global over_http
    for over_http in (False, True):
        print(f"--- over {'HTTP' if over_http else 'stdio'}", flush=True)
        await conversations()


async def conversations():
    async with server("memory:") as running:
        await in_memory(running)
    async with server("memory:") as running:
        await stateless(running)
    arguments = ("--toolsets", "warranty", "--demo", "warranty", "--today", TODAY)
    async with server("memory:", arguments) as running:
        await warranty(running)
    async with server("memory:", returns.ARGUMENTS) as running:
        await returns_desk(running)
    await durable()


try:
    asyncio.run(main())
except BaseException:
    # What is worth reading when a server did not even start.
    log = SCRATCH / "python.log"
    if log.exists():
        sys.stderr.write(log.read_text(encoding="utf-8")[-4000:])
    raise
print(f"python: {passed} passed, {failed} failed", flush=True)
sys.exit(1 if failed else 0)
