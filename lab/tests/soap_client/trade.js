// Lists the operations of a WSDL, registers, buys and sells, and is refused, all through the client that the library makes
// of the WSDL. Prints one JSON object with what was answered.
//   node trade.js http://host:port/services/soap?wsdl USER
import process from "node:process";
import soap from "soap";

const [address, userId] = process.argv.slice(2);
const client = await soap.createClientAsync(address);
const answered = async (operation, request) => (await client[`${operation}Async`](request))[0];

const service = Object.values(client.describe())[0];
const operations = Object.keys(Object.values(service)[0]);
const account = await answered("register", {
  userId, password: "secret", fullName: "<Ünï> & Co", address: "", email: "", creditCard: "", openBalance: "10000.00",
});
const bought = await answered("buy", { userId, symbol: "s:1", quantity: 10 });
const { holdings } = await answered("getHoldings", { userId });
const sold = await answered("sell", { userId, holdingId: bought.holdingId });
const refused = await answered("sell", { userId, holdingId: bought.holdingId }).catch((error) => ({
  status: error.response.status,
  ...error.root.Envelope.Body.Fault,
}));
const profile = await answered("getProfile", { userId });
const quotes = await answered("getQuotes", { symbols: ["s:2", "s:1"] });
await answered("ping", {});

console.log(JSON.stringify({ operations, account, bought, holdings, sold, refused, profile, quotes }));
