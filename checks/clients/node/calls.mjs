// The calls with node-soap, which reads the WSDL that the services answer: `calls.mjs ADDRESS`.
import soap from 'soap';

const client = await soap.createClientAsync(process.argv[2]);
const call = async (operation, request) => (await client[`${operation}Async`](request))[0];

console.log('quote', (await call('getQuote', { symbol: 's:1' })).symbol);
const order = await call('buy', { userId: 'uid:1', symbol: 's:1', quantity: 10 });
console.log('bought', order.fee, order.quantity);
const { holdings } = await call('getHoldings', { userId: 'uid:1' });
console.log('held', [holdings].flat().some((one) => one.holdingId === order.holdingId));
console.log('sold', (await call('sell', { userId: 'uid:1', holdingId: order.holdingId })).type);
try {
  await call('getQuote', { symbol: 's:none' });
} catch (error) {
  const { detail, faultstring } = error.root.Envelope.Body.Fault;
  console.log('refused', detail.code, faultstring);
}
