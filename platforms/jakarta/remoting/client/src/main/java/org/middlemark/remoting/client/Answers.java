package org.middlemark.remoting.client;

import jakarta.json.bind.Jsonb;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.json.JsonMessages.FoundCustomer;
import org.middlemark.remoting.json.JsonMessages.OrderId;
import org.middlemark.remoting.json.JsonMessages.Products;
import org.middlemark.remoting.json.JsonText;

/** Answers as the user of the client reads them, and whether two of them are the same. */
final class Answers {
    private static final int HASH_DIGITS = 16;
    private static final Jsonb JSON = JsonText.ofAnswers();

    private Answers() {
    }

    /** The answer as JSON in UTF-8. */
    static byte[] json(Object answer) {
        return JSON.toJson(answer).getBytes(StandardCharsets.UTF_8);
    }

    /** The first digits of the SHA-256 of the JSON, with 0 as the id of an order. */
    static String hash(Object answer) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(json(withoutId(answer)));
            return HexFormat.of().formatHex(digest).substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
    }

    /** Whether an answer has as many products or tables as the first one, and a customer or an id as any answer. */
    static boolean isAlike(Object first, Object answer) {
        int size = size(answer);
        return size > 0 && size == size(first);
    }

    /** Whether an answer equals the first one field by field. */
    static boolean isSame(Object first, Object answer) {
        return isAlike(first, answer) && withoutId(first).equals(withoutId(answer));
    }

    /** The id of what the call stored; 0 where the answer names none. */
    static long id(Object answer) {
        return answer instanceof OrderId order ? order.orderId() : 0;
    }

    private static Object withoutId(Object answer) {
        return answer instanceof OrderId ? new OrderId(0) : answer;
    }

    private static int size(Object answer) {
        if (answer instanceof Products products) {
            return products.products().size();
        }
        if (answer instanceof TableSet tables) {
            return tables.tables().size();
        }
        if (answer instanceof FoundCustomer customer) {
            return customer.customer() == null ? 0 : 1;
        }
        return answer instanceof OrderId id && id.orderId() <= 0 ? 0 : 1;
    }
}
