package org.middlemark.brokerage.processing;

import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.MessageDrivenContext;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import org.middlemark.brokerage.messaging.OrderQueue;
import org.middlemark.brokerage.services.OrderCompleted;

/**
 * Completes the orders of the server's queue. Taking the message and completing its order are one transaction over
 * queue and database, which the container begins and ends; what is rolled back, the queue delivers again.
 */
@MessageDriven(name = "OrderListener", activationConfig = {
        @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = OrderQueue.NAME),
        @ActivationConfigProperty(propertyName = "destinationType", propertyValue = "jakarta.jms.Queue")})
public class OrderListener implements MessageListener {
    @Resource
    private MessageDrivenContext context;
    @Inject
    private QueuedOrders orders;
    @Inject
    private Event<OrderCompleted> completed;

    @Override
    public void onMessage(Message message) {
        long orderId = OrderQueue.orderId(message);
        if (orders.completeDelivered(orderId)) {
            completed.fire(new OrderCompleted(orderId));
        } else {
            context.setRollbackOnly();
        }
    }
}
