package org.middlemark.brokerage.settings;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What a process carries. */
public enum Role {
    WEB,
    SERVICES;

    private static final String ALL = "all";

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads a comma list of roles. */
    static Set<Role> roles(String list) throws WrongSetting {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String word : list.split(",", -1)) {
            String wanted = word.strip();
            if (ALL.equals(wanted)) {
                roles.addAll(EnumSet.allOf(Role.class));
            } else {
                roles.add(Arrays.stream(values()).filter(role -> role.word().equals(wanted)).findAny()
                        .orElseThrow(() -> new WrongSetting("MM_ROLE", list, "a comma list of all, web, services")));
            }
        }
        return roles;
    }

    static String words(Set<Role> roles) {
        return roles.stream().map(Role::word).collect(Collectors.joining(","));
    }
}
