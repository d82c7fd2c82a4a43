package org.middlemark.brokerage.soap;

import java.io.IOException;
import java.util.List;
import javax.xml.namespace.QName;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.messages.HttpCalls;
import org.middlemark.brokerage.messages.MessageClient;
import org.middlemark.brokerage.messages.Operation;
import org.middlemark.brokerage.messages.WrongAnswer;

/** The services somewhere else, called by SOAP over HTTP. */
final class SoapClient extends MessageClient {
    private static final int OK = 200;
    private static final int FAILED = 500;

    SoapClient(HttpCalls calls) {
        super(calls);
    }

    @Override
    protected <T extends Record> T exchange(HttpCalls calls, Operation operation, Record request, Class<T> answer)
            throws IOException {
        HttpCalls.Answer answered =
                calls.post(SoapNames.PATH, SoapNames.CONTENT_TYPE, SoapWriter.request(operation, request));
        XmlElement content = content(answered);
        if (content.is(SoapNames.FAULT) && answered.status() == FAILED) {
            throw refusal(content);
        }
        if (answered.status() != OK
                || !content.is(SoapNames.brokerage(operation.operationName() + SoapNames.RESPONSE))) {
            throw new WrongAnswer("the answer to " + operation.operationName() + " with status " + answered.status()
                    + " is "
                    + content.name());
        }
        return answer.cast(AnswerReader.read(content, answer));
    }

    private static XmlElement content(HttpCalls.Answer answered) {
        if (!SoapNames.CONTENT_TYPE.startsWith(answered.contentType() + ";")) {
            throw new WrongAnswer("the answer with status " + answered.status() + " is " + answered.contentType());
        }
        try {
            return SoapEnvelope.read(answered.body()).content();
        } catch (XmlReader.NoDocument malformed) {
            throw new WrongAnswer("the body is no envelope", malformed);
        }
    }

    private static Refusal refusal(XmlElement fault) {
        String word = child(child(fault, "detail"), "code").text().strip();
        Code code = Code.of(word).orElseThrow(() -> new WrongAnswer("there is no code " + word));
        String faultCode = child(fault, "faultcode").text().strip();
        if (!faultCode.substring(faultCode.indexOf(':') + 1).equals(SoapFault.faultCode(code))) {
            throw new WrongAnswer("the code " + word + " is told with the fault code " + faultCode);
        }
        return new Refusal(code, child(fault, "faultstring").text());
    }

    private static XmlElement child(XmlElement element, String name) {
        List<XmlElement> found = element.children().stream().filter(child -> child.is(new QName(name))).toList();
        if (found.size() != 1) {
            throw new WrongAnswer("a fault has " + found.size() + " elements " + name);
        }
        return found.get(0);
    }
}
