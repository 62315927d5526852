; spreading_rules.toml, written by hand for CLIPS.

(defmodule MAIN (export deftemplate ?ALL))

(deftemplate system
  (slot row) (slot doc) (slot begin) (slot end) (slot text) (slot id) (slot confidence) (slot after)
  (slot seen (default FALSE)) (slot heard (default FALSE)) (slot result))
(deftemplate key
  (slot row) (slot doc) (slot begin) (slot end) (slot text)
  (slot seen (default FALSE)) (slot result))

(defmodule SEED (import MAIN deftemplate ?ALL))

(defrule SEED::first-of-all
  ?a <- (system (seen FALSE) (after nil) (confidence "high"))
  =>
  (modify ?a (seen TRUE)))

(defmodule SPREAD (import MAIN deftemplate ?ALL))

(defrule SPREAD::along-links
  ?a <- (system (seen FALSE) (after ?x&~nil))
  (exists (system (id ?x) (seen TRUE)))
  =>
  (modify ?a (seen TRUE)))

(defrule SPREAD::to-the-key
  ?z <- (key (seen FALSE) (doc ?d) (begin ?b) (end ?e))
  (exists (system (seen TRUE) (doc ?d) (begin ?c)
                  (end ?f&:(or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f))))))
  =>
  (modify ?z (seen TRUE)))

(defrule SPREAD::from-the-key
  ?a <- (system (seen FALSE) (doc ?d) (text ?x&~nil))
  (exists (key (seen TRUE) (doc ?d) (text ?x)))
  =>
  (modify ?a (seen TRUE)))

(defrule SPREAD::hearsay
  (declare (salience 10))
  ?a <- (system (heard FALSE) (doc ?d) (begin ?b) (end ?e))
  (exists (system (doc ?d) (heard ?h) (seen ?v&:(or ?h ?v)) (begin ?c)
                  (end ?f&:(or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f))))))
  =>
  (modify ?a (heard TRUE)))

(defmodule VERDICT (import MAIN deftemplate ?ALL))

(defrule VERDICT::linked
  (declare (salience 10))
  ?a <- (system (result nil) (seen TRUE))
  =>
  (modify ?a (result "linked")))

(defrule VERDICT::told
  (declare (salience 5))
  ?a <- (system (result nil) (heard TRUE))
  =>
  (modify ?a (result "told")))

(defrule VERDICT::lost
  ?a <- (system (result nil))
  =>
  (modify ?a (result "lost")))

(defrule VERDICT::reached
  (declare (salience -5))
  ?z <- (key (result nil) (seen TRUE) (doc ?d) (begin ?b) (end ?e))
  (not (system (result "lost") (doc ?d) (begin ?b) (end ?e)))
  =>
  (modify ?z (result "reached")))

(defrule VERDICT::not-reached
  (declare (salience -10))
  ?z <- (key (result nil))
  =>
  (modify ?z (result "lost")))
