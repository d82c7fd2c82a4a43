package org.middlemark.brokerage.json;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.messages.HttpCalls;
import org.middlemark.brokerage.messages.MessageClient;
import org.middlemark.brokerage.messages.Operation;
import org.middlemark.brokerage.messages.WrongAnswer;

/** The services somewhere else, called by JSON over HTTP. */
final class JsonClient extends MessageClient {
    private static final int OK = 200;
    private static final String PATH = "/services/json/";

    JsonClient(HttpCalls calls) {
        super(calls);
    }

    @Override
    protected <T extends Record> T exchange(HttpCalls calls, Operation operation, Record request, Class<T> answer)
            throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        MessageWriter.write(request, body);
        HttpCalls.Answer answered = calls.post(PATH + operation.operationName(), MediaTypes.JSON, body.toByteArray());
        if (answered.status() != OK) {
            throw refusal(answered);
        }
        if (!MediaTypes.JSON.equals(answered.contentType())) {
            throw new WrongAnswer("the answer is " + answered.contentType());
        }
        return AnswerReader.read(answered.body(), answer);
    }

    private static Refusal refusal(HttpCalls.Answer answered) {
        if (!MediaTypes.PROBLEM.equals(answered.contentType())) {
            throw new WrongAnswer("the answer with status " + answered.status() + " is no problem");
        }
        Problem problem = AnswerReader.read(answered.body(), Problem.class);
        Code code = Code.of(problem.code()).orElseThrow(() -> new WrongAnswer("there is no code " + problem.code()));
        if (code.httpStatus() != answered.status()
                || !problem.equals(Problem.of(new Refusal(code, problem.detail())))) {
            throw new WrongAnswer("the code " + code.word() + " does not belong to its problem with status "
                    + answered.status());
        }
        return new Refusal(code, problem.detail());
    }
}
