package org.middlemark.brokerage.pages;

import org.middlemark.brokerage.process.Statistics;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The pages that ask no service: the glossary and the statistics. */
@Controller
@WebTier
class InformationController {

    private final Statistics statistics;

    InformationController(Statistics statistics) {
        this.statistics = statistics;
    }

    @GetMapping("/glossary")
    String glossary() {
        return "glossary";
    }

    @GetMapping("/statistics")
    String statistics(Model model) {
        model.addAttribute("statistics", statistics.snapshot());
        return "statistics";
    }
}
