// Lists and calls tools with the official TypeScript client of MCP, and pays with the one of x402 where a key is given.
// Reads {url | command, args, calls: [{name, arguments, meta}], key} on standard input and writes {tools, results,
// payments} as one line. `error` stands for the result of a call that the client refuses to give.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm";
import { privateKeyToAccount } from "viem/accounts";

let asked = "";
for await (const part of process.stdin) asked += part;
const { url, command, args = [], calls, key } = JSON.parse(asked);

const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command, args });
const client = new Client({ name: "assay402-interop", version: "1.0.0" });
await client.connect(transport);
const { tools } = await client.listTools();
const { resources } = await client.listResources();

const payer = new x402Client();
if (key) payer.register("eip155:*", new ExactEvmScheme(privateKeyToAccount(key)));
const results = [];
const payments = [];
for (const { name, arguments: given, meta } of calls) {
  const call = (more) => client.callTool({ name, arguments: given, ...(more ? { _meta: more } : {}) });
  try {
    let result = await call(meta);
    const offer = result.isError ? result.structuredContent : undefined;
    if (key && offer && offer.accepts) {
      const payment = await payer.createPaymentPayload(offer);
      payments.push(payment);
      result = await call({ ...meta, "x402/payment": payment });
    }
    results.push(result);
  } catch (error) {
    results.push({ error: String(error) });
  }
}
await client.close();
const told = { tools, resources: resources.length, results, payments };
process.stdout.write(JSON.stringify(told) + "\n", () => process.exit(0));
