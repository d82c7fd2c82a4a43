package org.middlemark.soap;

import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.InvocationContext;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Refusal;

/** Answers refusals as faults, and everything unforeseen as an internal one with its details in the log. */
public class RefusalsAsFaults {
    private static final Logger LOG = Logger.getLogger(RefusalsAsFaults.class.getName());

    @AroundInvoke
    Object invoke(InvocationContext operation) {
        try {
            return operation.proceed();
        } catch (SOAPFaultException answered) {
            throw answered; // some servers call the interceptor of an endpoint twice, one inside the other
        } catch (Refusal refusal) {
            throw SoapFaults.exception(refusal);
        } catch (Exception unforeseen) {
            LOG.log(Level.SEVERE, "A SOAP request failed", unforeseen);
            throw SoapFaults.exception(Refusal.internal(unforeseen));
        }
    }
}
