"""The calls with zeep, which reads the WSDL that the services answer: `zeep_calls.py ADDRESS`."""

# mypy: ignore-errors
import sys

from zeep import Client
from zeep.exceptions import Fault

service = Client(sys.argv[1]).service
print("quote", service.getQuote(symbol="s:1").symbol)
order = service.buy(userId="uid:1", symbol="s:1", quantity=10)
print("bought", order.fee, order.quantity)
print("held", order.holdingId in [holding.holdingId for holding in service.getHoldings(userId="uid:1")])
print("sold", service.sell(userId="uid:1", holdingId=order.holdingId).type)
try:
    service.getQuote(symbol="s:none")
except Fault as fault:
    print("refused", fault.detail.findtext("code"), fault.message)
