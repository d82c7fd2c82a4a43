package org.middlemark.brokerage.pages;

import java.math.BigDecimal;

/** How an amount has changed, as the style sheet and the images call it. */
public enum Trend {
    UP("gain", "up"),
    LEVEL("level", "level"),
    DOWN("loss", "down");

    private final String style;
    private final String image;

    Trend(String style, String image) {
        this.style = style;
        this.image = image;
    }

    static Trend of(BigDecimal change) {
        return switch (change.signum()) {
            case 1 -> UP;
            case -1 -> DOWN;
            default -> LEVEL;
        };
    }

    public String getStyle() {
        return style;
    }

    public String getImage() {
        return image;
    }

    /** The style of an amount that has no image: none when it has not changed. */
    public String getPlainStyle() {
        return this == LEVEL ? null : style;
    }
}
