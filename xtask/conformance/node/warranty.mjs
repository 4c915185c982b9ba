// The conversation about a unit that is dead on arrival and out of warranty: what happens, and what
// does it cost? Answered from the toolset `warranty`, on the day for which the demo data was made.

import assert from "node:assert/strict";
import { check, content, refusal } from "./checks.mjs";

const TOOLS = [
  "check_warranty_coverage",
  "find_customer",
  "find_device",
  "get_fee_quote",
  "get_open_returns_for_device",
  "resolve_shipping_address",
  "search_devices",
];

const TODAY = "2026-03-01";
const ARGUMENTS = ["--toolsets", "warranty", "--demo", "warranty", "--today", TODAY];

export async function conversation(connect, mode) {
  let server;
  await check(`the warranty desk opens, and only reads (${mode})`, async () => {
    server = await connect("memory:", mode, ARGUMENTS);
    const tools = await server.list();
    assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
    assert.ok(tools.every((tool) => tool.annotations.readOnlyHint === true));
  });
  if (server === undefined) return;

  await check("is a return of it open already?", async () => {
    const found = await content(server, "find_device", { identifier: "ax2 0001 0005" });
    assert.deepEqual(
      [found.found, found.matchedOn, found.requiresConfirmation, found.isInWarranty, found.asOf],
      [true, "serial", false, false, TODAY],
    );
    const { deviceId } = found.device;
    assert.equal(deviceId, "AX2-0001-0005");
    assert.equal((await content(server, "get_open_returns_for_device", { deviceId })).count, 0);
  });

  await check("AX2-0001-0005 is dead on arrival and out of warranty: what happens?", async () => {
    const judged = await content(server, "check_warranty_coverage", {
      identifier: "AX2-0001-0005",
      today: TODAY,
      problemDescription: "dead on arrival",
    });
    assert.deepEqual(
      [judged.identified, judged.eligibility, judged.reason, judged.allowsRmaCreation],
      [true, "EligibleForPaidRepair", "OutOfWarranty", false],
    );
    assert.match(judged.explanation, /repaired for a fee/);
    assert.match(judged.note, /not an approval/);
  });

  await check("what does it cost? 69.00 USD", async () => {
    const quoted = await content(server, "get_fee_quote", { identifier: "AX2-0001-0005", today: TODAY });
    assert.deepEqual(
      [quoted.productSku, quoted.repairFee, quoted.currencyCode, quoted.planIsCovered, quoted.allowsRmaCreation],
      ["AX-200-HS", 69, "USD", false, false],
    );
  });

  await check("a number that is one digit off is not that unit", async () => {
    const args = { identifier: "AX2-0001-0006", today: TODAY };
    const judged = await content(server, "check_warranty_coverage", args);
    assert.deepEqual([judged.identified, judged.reason], [false, "DeviceNotFound"]);
    assert.ok(judged.suggestions.length > 0 && judged.suggestions.length <= 3);
    assert.ok(!("repairFee" in (await content(server, "get_fee_quote", args))));
    const [code] = await refusal(server, "get_open_returns_for_device", { deviceId: args.identifier });
    assert.equal(code, "DEVICE_NOT_FOUND");
  });

  await check("a unit with an open return is found, and not shown", async () => {
    const found = await content(server, "find_device", { identifier: "AX2-0001-0002" });
    assert.deepEqual([found.found, found.suppressed, "device" in found], [true, true, false]);
  });

  await check("a day is written one way, and nothing can be smuggled in", async () => {
    const args = { identifier: "AX2-0001-0005", today: "1 March 2026", aiConfidence: 1 };
    await assert.rejects(server.call("check_warranty_coverage", args), (error) => {
      assert.equal(error.code, -32602);
      assert.deepEqual(error.data.issues.map((issue) => [issue.path, issue.code]), [
        [["today"], "pattern"],
        [["aiConfidence"], "unknown_key"],
      ]);
      return true;
    });
  });

  await server.close();
}
