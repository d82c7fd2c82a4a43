import calls.generated.Brokerage;
import calls.generated.BrokerageService;
import calls.generated.BuyRequest;
import calls.generated.SymbolRequest;
import calls.generated.User;
import calls.generated.UserHolding;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.net.URL;

/** The calls with what Apache CXF generated from the WSDL of the specification: {@code Calls ADDRESS}. */
public final class Calls {
  private Calls() {}

  public static void main(String[] arguments) throws Exception {
    Brokerage services = new BrokerageService(new URL(arguments[0])).getBrokerageSoap();
    System.out.println("quote " + services.getQuote(symbol("s:1")).getSymbol());
    var purchase = new BuyRequest();
    purchase.setUserId("uid:1");
    purchase.setSymbol("s:1");
    purchase.setQuantity(10);
    var order = services.buy(purchase);
    System.out.println("bought " + order.getFee() + " " + order.getQuantity());
    var user = new User();
    user.setUserId("uid:1");
    long holdingId = order.getHoldingId();
    boolean held = services.getHoldings(user).getHoldings().stream().anyMatch(one -> one.getHoldingId() == holdingId);
    System.out.println("held " + held);
    var sale = new UserHolding();
    sale.setUserId("uid:1");
    sale.setHoldingId(holdingId);
    System.out.println("sold " + services.sell(sale).getType().value());
    try {
      services.getQuote(symbol("s:none"));
    } catch (SOAPFaultException refused) {
      String code = refused.getFault().getDetail().getElementsByTagName("code").item(0).getTextContent();
      System.out.println("refused " + code + " " + refused.getFault().getFaultString());
    }
  }

  private static SymbolRequest symbol(String name) {
    var request = new SymbolRequest();
    request.setSymbol(name);
    return request;
  }
}
