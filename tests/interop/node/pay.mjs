// Pays one resource with the official TypeScript client. Reads {url, method, body, headers, key, networks} on standard
// input and writes {status, headers, body, payments} as one line: `payments` are the headers it paid with.
import { x402Client, wrapFetchWithPayment } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm";
import { privateKeyToAccount } from "viem/accounts";

let asked = "";
for await (const part of process.stdin) asked += part;
const { url, method, body, headers = {}, key, networks = ["eip155:*"] } = JSON.parse(asked);

const payments = [];
const watched = async (input, init) => {
  const request = new Request(input, init);
  const payment = request.headers.get("payment-signature");
  if (payment !== null) payments.push(payment);
  return fetch(request);
};

const client = new x402Client();
for (const network of networks) client.register(network, new ExactEvmScheme(privateKeyToAccount(key)));
const paying = wrapFetchWithPayment(watched, client);
try {
  const answer = await paying(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const told = { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text(), payments };
  process.stdout.write(JSON.stringify(told) + "\n");
} catch (error) {
  process.stdout.write(JSON.stringify({ error: String(error), payments }) + "\n");
}
