; many_rules.toml, written by hand for CLIPS. A module is a group; `nil` is missing. A pair is taken if no rival for
; one of its rows is better, under the strict order of pairs: the `best` numbers, then the rows' numbers by content.

(defmodule MAIN (export deftemplate ?ALL))

(deftemplate system
  (slot row) (slot doc) (slot begin) (slot end) (slot label) (slot norm) (slot id)
  (slot result) (slot partner) (slot ignored) (slot set_aside)
  (slot entity) (slot document) (slot mention) (slot link))
(deftemplate key
  (slot row) (slot doc) (slot begin) (slot end) (slot label) (slot norm) (slot id) (slot confidence)
  (slot result) (slot partner) (slot set_aside)
  (slot entity) (slot document) (slot mention))
(deftemplate alike (slot system) (slot key) (slot similarity))
(deftemplate candidate (slot system) (slot key) (slot overlap) (slot similarity))
(deftemplate parent (slot child) (slot of))
(deftemplate is-a (slot child) (slot ancestor))
(deftemplate threshold (slot label) (slot least))
(deftemplate listed (slot label))
(deftemplate stop (slot label) (slot norm))

(deffacts knowledge
  (parent (child "CAPITAL") (of "CITY"))
  (parent (child "CITY") (of "LOC"))
  (threshold (label default) (least 60))
  (threshold (label "PER") (least 80))
  (listed (label "PER"))
  (listed (label "LOC"))
  (stop (label default) (norm "it"))
  (stop (label "PER") (norm "he"))
  (stop (label "PER") (norm "mr"))
  (stop (label "LOC") (norm "north")))

(defmodule EXACT (import MAIN deftemplate ?ALL))

(defrule EXACT::true-positive
  (declare (salience 100))
  ?a <- (system (result nil) (row ?s) (doc ?d) (begin ?b) (end ?e) (label ?l))
  ?z <- (key (result nil) (row ?k) (doc ?d) (begin ?b) (end ?e) (label ?l))
  (not (system (result nil) (row ?t&:(< ?t ?s)) (doc ?d) (begin ?b) (end ?e) (label ?l)))
  (not (key (result nil) (row ?m&:(< ?m ?k)) (doc ?d) (begin ?b) (end ?e) (label ?l)))
  =>
  (modify ?a (result "TP") (partner ?k))
  (modify ?z (result "TP") (partner ?s)))

(defrule EXACT::duplicate
  (declare (salience 95))
  ?a <- (system (result nil) (doc ?d) (begin ?b) (end ?e) (label ?l))
  (exists (system (result "TP") (doc ?d) (begin ?b) (end ?e) (label ?l)))
  =>
  (modify ?a (result "duplicate")))

(defrule EXACT::false-positive
  (declare (salience 90))
  ?a <- (system (result nil))
  =>
  (modify ?a (result "FP")))

(defrule EXACT::false-negative
  (declare (salience 80))
  ?z <- (key (result nil))
  =>
  (modify ?z (result "FN")))

(defmodule LABELS (import MAIN deftemplate ?ALL))

(defrule LABELS::parent-is-ancestor
  (declare (salience 10))
  (parent (child ?c) (of ?p))
  =>
  (assert (is-a (child ?c) (ancestor ?p))))

(defrule LABELS::ancestor-of-parent-is-ancestor
  (declare (salience 10))
  (parent (child ?c) (of ?p))
  (is-a (child ?p) (ancestor ?a))
  =>
  (assert (is-a (child ?c) (ancestor ?a))))

(defrule LABELS::partial-label
  ?a <- (system (result "FP") (row ?s) (doc ?d) (begin ?b) (end ?e) (label ?l))
  ?z <- (key (result "FN") (row ?k) (doc ?d) (begin ?b) (end ?e) (label ?j))
  (is-a (child ?j) (ancestor ?l))
  (not (and (system (result "FP") (row ?t&:(< ?t ?s)) (doc ?d) (begin ?b) (end ?e) (label ?i))
            (is-a (child ?j) (ancestor ?i))))
  (not (and (key (result "FN") (row ?m&:(< ?m ?k)) (doc ?d) (begin ?b) (end ?e) (label ?i))
            (is-a (child ?i) (ancestor ?l))))
  =>
  (modify ?a (result "partial label") (partner ?k))
  (modify ?z (result "partial label") (partner ?s)))

(defmodule FUZZY (import MAIN deftemplate ?ALL))

(defrule FUZZY::candidate
  (declare (salience 10))
  (alike (system ?s) (key ?k) (similarity ?x))
  (system (row ?s) (result "FP") (doc ?d) (begin ?b) (end ?e) (label ?l))
  (key (row ?k) (result "FN") (doc ?d) (begin ?c) (end ?f) (label ?l))
  (test (or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f))))
  (or (threshold (label ?l) (least ?y))
      (and (threshold (label default) (least ?y)) (not (threshold (label ?l)))))
  (test (>= ?x ?y))
  =>
  (assert (candidate (system ?s) (key ?k) (overlap (- (min ?e ?f) (max ?b ?c))) (similarity ?x))))

(defrule FUZZY::fuzzy-check
  (candidate (system ?s) (key ?k) (overlap ?o) (similarity ?x))
  ?a <- (system (row ?s) (result "FP"))
  ?z <- (key (row ?k) (result "FN"))
  (not (and (candidate (system ?s) (key ?m&~?k) (overlap ?p) (similarity ?y))
            (key (row ?m) (result "FN"))
            (test (or (> ?p ?o) (and (= ?p ?o) (or (> ?y ?x) (and (= ?y ?x) (< ?m ?k))))))))
  (not (and (candidate (system ?t&~?s) (key ?k) (overlap ?p) (similarity ?y))
            (system (row ?t) (result "FP"))
            (test (or (> ?p ?o) (and (= ?p ?o) (or (> ?y ?x) (and (= ?y ?x) (< ?t ?s))))))))
  =>
  (modify ?a (result "fuzzy") (partner ?k))
  (modify ?z (result "fuzzy") (partner ?s)))

(defmodule FILTER (import MAIN deftemplate ?ALL))

(defrule FILTER::stop-word
  ?a <- (system (ignored nil) (result "FP") (label ?l) (norm ?n))
  (or (stop (label ?l) (norm ?n))
      (and (stop (label default) (norm ?n)) (not (listed (label ?l)))))
  =>
  (modify ?a (ignored "stop word") (set_aside "stop word")))

(defmodule CONFIDENCE (import MAIN deftemplate ?ALL))

(defrule CONFIDENCE::low-confidence
  ?z <- (key (set_aside nil) (confidence "low"))
  =>
  (modify ?z (set_aside "low confidence")))

(defrule CONFIDENCE::paired-with-low-confidence
  ?a <- (system (set_aside nil) (partner ?k&~nil))
  (key (row ?k) (confidence "low"))
  =>
  (modify ?a (set_aside "low confidence")))

(defmodule ENTITY (import MAIN deftemplate ?ALL))

(defrule ENTITY::system-entity-by-id
  (declare (salience 20))
  ?a <- (system (entity nil) (id ?i&~nil))
  =>
  (modify ?a (entity ?i)))

(defrule ENTITY::system-entity-by-text
  (declare (salience 10))
  ?a <- (system (entity nil) (id nil) (norm ?n&~nil))
  =>
  (modify ?a (entity ?n)))

(defrule ENTITY::key-entity-by-id
  (declare (salience 20))
  ?z <- (key (entity nil) (id ?i&~nil))
  =>
  (modify ?z (entity ?i)))

(defrule ENTITY::key-entity-by-text
  (declare (salience 10))
  ?z <- (key (entity nil) (id nil) (norm ?n&~nil))
  =>
  (modify ?z (entity ?n)))

(defmodule DOCUMENT (import MAIN deftemplate ?ALL))

(defrule DOCUMENT::document-tp-of-the-system
  (declare (salience 100))
  ?a <- (system (document nil) (doc ?d) (label ?l) (entity ?x&~nil))
  (exists (system (doc ?d) (label ?l) (entity ?x) (result "TP")))
  =>
  (modify ?a (document "TP")))

(defrule DOCUMENT::document-tp-of-the-key
  (declare (salience 100))
  ?z <- (key (document nil) (doc ?d) (label ?l) (entity ?x&~nil))
  (exists (key (doc ?d) (label ?l) (entity ?x) (result "TP")))
  =>
  (modify ?z (document "TP")))

(defrule DOCUMENT::document-near-miss-of-the-system
  (declare (salience 90))
  ?a <- (system (document nil) (doc ?d) (label ?l) (entity ?x&~nil))
  (exists (system (doc ?d) (label ?l) (entity ?x) (result "fuzzy"|"partial label")))
  =>
  (modify ?a (document "near")))

(defrule DOCUMENT::document-near-miss-of-the-key
  (declare (salience 90))
  ?z <- (key (document nil) (doc ?d) (label ?l) (entity ?x&~nil))
  (exists (key (doc ?d) (label ?l) (entity ?x) (result "fuzzy"|"partial label")))
  =>
  (modify ?z (document "near")))

(defrule DOCUMENT::document-ignored-of-the-system
  (declare (salience 80))
  ?a <- (system (document nil) (doc ?d) (label ?l) (entity ?x))
  (not (system (doc ?d) (label ?l) (entity ?x&~nil) (set_aside nil)))
  =>
  (modify ?a (document "ignored")))

(defrule DOCUMENT::document-ignored-of-the-key
  (declare (salience 80))
  ?z <- (key (document nil) (doc ?d) (label ?l) (entity ?x))
  (not (key (doc ?d) (label ?l) (entity ?x&~nil) (set_aside nil)))
  =>
  (modify ?z (document "ignored")))

(defrule DOCUMENT::document-fp
  (declare (salience 70))
  ?a <- (system (document nil))
  =>
  (modify ?a (document "FP")))

(defrule DOCUMENT::document-fn
  (declare (salience 70))
  ?z <- (key (document nil))
  =>
  (modify ?z (document "FN")))

(defmodule MENTION (import MAIN deftemplate ?ALL))

(defrule MENTION::first-mention-by-the-system
  (declare (salience 20))
  ?a <- (system (mention nil) (row ?s) (doc ?d) (label ?l) (entity ?x&~nil))
  (not (system (row ?t&:(< ?t ?s)) (doc ?d) (label ?l) (entity ?x)))
  =>
  (modify ?a (mention "first")))

(defrule MENTION::further-mention-by-the-system
  (declare (salience 10))
  ?a <- (system (mention nil))
  =>
  (modify ?a (mention "further")))

(defrule MENTION::first-mention-in-the-key
  (declare (salience 20))
  ?z <- (key (mention nil) (row ?k) (doc ?d) (label ?l) (entity ?x&~nil))
  (not (key (row ?m&:(< ?m ?k)) (doc ?d) (label ?l) (entity ?x)))
  =>
  (modify ?z (mention "first")))

(defrule MENTION::further-mention-in-the-key
  (declare (salience 10))
  ?z <- (key (mention nil))
  =>
  (modify ?z (mention "further")))

(defmodule LINK (import MAIN deftemplate ?ALL))

(defrule LINK::right-link
  (declare (salience 20))
  ?a <- (system (link nil) (partner ?k&~nil) (id ?i&~nil))
  (key (row ?k) (id ?i))
  =>
  (modify ?a (link "TP")))

(defrule LINK::wrong-link
  (declare (salience 10))
  ?a <- (system (link nil) (partner ~nil) (id ~nil))
  =>
  (modify ?a (link "FP")))
