/// The script of the page. The page also works without the script. Without the script, the page shows changes only
/// after the user reloads the page.
enum PageScript {
    static let text = """
        "use strict";
        const cards = document.getElementById("cards");
        const state = document.getElementById("state");
        // The server has escaped every text of a widget, so its answer is the page's own markup.
        const policy = window.trustedTypes ? trustedTypes.createPolicy("annex", { createHTML: text => text }) : null;

        function parsed(text) {
          const template = document.createElement("template");
          template.innerHTML = policy ? policy.createHTML(text) : text;
          return template.content;
        }

        // Cards that have not changed stay as they are, so that the focus and the selection stay in them.
        function show(fresh) {
          const focused = document.activeElement ? document.activeElement.id : "";
          const elements = Array.from(fresh.children).map(element => {
            const old = element.id ? document.getElementById(element.id) : null;
            if (old && old.querySelector("details[open]")) element.querySelector("details")?.setAttribute("open", "");
            return old && old.isEqualNode(element) ? old : element;
          });
          cards.replaceChildren(...elements);
          const again = focused ? document.getElementById(focused) : null;
          if (again && again !== document.activeElement) again.focus({ preventScroll: true });
        }

        let loading = false, changed = false;
        async function load() {
          changed = true;
          if (loading) return;
          loading = true;
          try {
            while (changed) {
              changed = false;
              const begin = performance.now();
              const answer = await fetch("cards");
              if (answer.ok) show(parsed(await answer.text()));
              // A widget that changes all the time gets at most a fifth of the browser's time.
              await new Promise(next => setTimeout(next, Math.min(4 * (performance.now() - begin), 2000)));
            }
          } catch { /* The stream of events says when the view is back. */ }
          loading = false;
        }

        function send(fields) {
          fetch("do", { method: "POST", body: new URLSearchParams(fields), redirect: "manual" }).catch(() => {});
        }
        document.addEventListener("submit", event => {
          event.preventDefault();
          send(new FormData(event.target, event.submitter));
        });

        // Widgets learn the width of a card.
        let width = 0, waiting = 0;
        function measure() {
          const card = cards.querySelector(".content");
          if (!card || Math.abs(card.clientWidth - width) < 8) return;
          width = card.clientWidth;
          send([["do", "width:" + width]]);
        }
        new ResizeObserver(() => { clearTimeout(waiting); waiting = setTimeout(measure, 250); }).observe(cards);

        const events = new EventSource("events");
        events.onmessage = () => { state.textContent = ""; load(); };
        events.onerror = () => { state.textContent = "The view is not connected. It shows what it showed last."; };

        """
}
