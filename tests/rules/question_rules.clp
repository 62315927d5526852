; question_rules.toml, written by hand for CLIPS.

(defmodule MAIN (export deftemplate ?ALL))

(deftemplate system
  (slot row) (slot doc) (slot begin) (slot end) (slot length) (slot label) (slot text)
  (slot partner) (slot alone) (slot crowd) (slot widest) (slot inside (default FALSE)) (slot next) (slot rank)
  (slot extent))
(deftemplate key
  (slot row) (slot doc) (slot begin) (slot end) (slot length) (slot label) (slot confidence)
  (slot partner) (slot alone) (slot claimed))
(deftemplate candidate (slot system) (slot key) (slot distance) (slot iou) (slot length))
(deftemplate parent (slot child) (slot of))
(deftemplate is-a (slot child) (slot ancestor))
(deftemplate far (slot label) (slot from))

(deffacts knowledge
  (parent (child "CAPITAL") (of "CITY"))
  (parent (child "CITY") (of "LOC"))
  (far (label default) (from 2))
  (far (label "PER") (from 1)))

(defmodule PAIR (import MAIN deftemplate ?ALL))

(defrule PAIR::candidate
  (declare (salience 10))
  (system (row ?s) (doc ?d) (begin ?b) (end ?e))
  (key (row ?k) (doc ?d) (begin ?c)
       (end ?f&:(or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f)))) (length ?n))
  =>
  (bind ?common (- (min ?e ?f) (max ?b ?c)))
  (bind ?all (- (+ (- ?e ?b) ?n) ?common))
  (assert (candidate (system ?s) (key ?k) (distance (+ (abs (- ?b ?c)) (abs (- ?e ?f))))
                     (iou (if (= ?all 0) then 1.0 else (/ ?common ?all))) (length ?n))))

(defrule PAIR::pair
  (candidate (system ?s) (key ?k) (distance ?o) (iou ?x) (length ?n))
  ?a <- (system (row ?s) (partner nil))
  ?z <- (key (row ?k) (partner nil))
  (not (and (candidate (system ?s) (key ?m&~?k) (distance ?p) (iou ?y) (length ?q))
            (key (row ?m) (partner nil))
            (test (or (< ?p ?o)
                      (and (= ?p ?o) (or (> ?y ?x)
                                         (and (= ?y ?x) (or (> ?q ?n) (and (= ?q ?n) (< ?m ?k))))))))))
  (not (and (candidate (system ?t&~?s) (key ?k) (distance ?p) (iou ?y) (length ?q))
            (system (row ?t) (partner nil))
            (test (or (< ?p ?o) (and (= ?p ?o) (or (> ?y ?x) (and (= ?y ?x) (< ?t ?s))))))))
  =>
  (modify ?a (partner ?k))
  (modify ?z (partner ?s)))

(defmodule ASK (import MAIN deftemplate ?ALL))

(defrule ASK::parent-is-ancestor
  (declare (salience 100))
  (parent (child ?c) (of ?p))
  =>
  (assert (is-a (child ?c) (ancestor ?p))))

(defrule ASK::ancestor-of-parent-is-ancestor
  (declare (salience 100))
  (parent (child ?c) (of ?p))
  (is-a (child ?p) (ancestor ?a))
  =>
  (assert (is-a (child ?c) (ancestor ?a))))

(defrule ASK::not-alone
  (declare (salience 10))
  ?a <- (system (alone nil) (doc ?d) (begin ?b) (end ?e) (label ?l))
  (exists (key (doc ?d) (label ?l) (confidence ~"low") (begin ?c)
               (end ?f&:(or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f))))))
  =>
  (modify ?a (alone "no")))

(defrule ASK::alone
  (declare (salience 9))
  ?a <- (system (alone nil) (doc ?d) (begin ?b) (end ?e))
  (not (key (doc ?d) (begin ?c) (end ?f&:(or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f))))))
  =>
  (modify ?a (alone "yes")))

(defrule ASK::key-not-alone
  (declare (salience 10))
  ?z <- (key (alone nil) (doc ?d) (begin ?b) (end ?e) (label ?l))
  (exists (system (doc ?d) (label ~?l) (begin ?c)
                  (end ?f&:(or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f))))))
  =>
  (modify ?z (alone "no")))

(defrule ASK::key-alone
  (declare (salience 9))
  ?z <- (key (alone nil) (doc ?d) (begin ?b) (end ?e))
  (not (system (doc ?d) (begin ?c) (end ?f&:(or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f))))))
  =>
  (modify ?z (alone "yes")))

; three with itself, which it always overlaps
(defrule ASK::in-a-crowd
  (declare (salience 10))
  ?a <- (system (crowd nil) (row ?s) (doc ?d) (begin ?b) (end ?e) (label ?l))
  (system (row ?t&~?s) (doc ?d) (label ?l) (begin ?c)
          (end ?f&:(or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f)))))
  (system (row ?u&~?s&:(> ?u ?t)) (doc ?d) (label ?l) (begin ?g)
          (end ?h&:(or (and (< ?b ?h) (< ?g ?e)) (and (= ?b ?g) (= ?e ?h)))))
  =>
  (modify ?a (crowd "many")))

(defrule ASK::one-of-a-kind
  (declare (salience 9))
  ?a <- (system (crowd nil) (row ?s) (doc ?d) (text ?x&~nil))
  (not (system (row ~?s) (doc ?d) (text ?x)))
  =>
  (modify ?a (crowd "one")))

(defrule ASK::widest
  ?a <- (system (widest nil) (doc ?d) (label ?l))
  (exists (key (doc ?d) (confidence "low")))
  (key (doc ?d) (label ?l) (length ?n))
  (not (key (doc ?d) (label ?l) (length ?m&:(> ?m ?n))))
  =>
  (modify ?a (widest ?n)))

(defrule ASK::claimed
  ?z <- (key (claimed nil) (doc ?d) (begin ?b))
  =>
  (modify ?z (claimed (length$ (find-all-facts ((?f system)) (and (= ?f:doc ?d) (>= ?f:begin ?b)))))))

(defrule ASK::inside
  ?a <- (system (inside FALSE) (doc ?d) (begin ?b) (end ?e) (length ?n))
  (exists (system (doc ?d) (length ?m&:(> ?m ?n)) (begin ?c)
                  (end ?f&:(or (and (< ?b ?f) (< ?c ?e)) (and (= ?b ?c) (= ?e ?f))))))
  =>
  (modify ?a (inside TRUE)))

(defrule ASK::next-to-a-key-span
  ?a <- (system (next nil) (doc ?d) (begin ?b))
  (or (exists (key (doc ?d) (end ?b))) (test (= ?b 0)))
  =>
  (modify ?a (next "yes")))

(defrule ASK::top
  (declare (salience 5))
  ?a <- (system (rank nil) (row ?s) (label ?l))
  (not (system (label ?l) (row ?t&:(> ?t ?s))))
  =>
  (modify ?a (rank "top")))

(defrule ASK::under
  (declare (salience 4))
  ?a <- (system (rank nil) (partner ?k&~nil) (label ?l))
  (key (row ?k) (label ?j))
  (is-a (child ?l) (ancestor ?j))
  =>
  (modify ?a (rank "under")))

(defmodule EXTENT (import MAIN deftemplate ?ALL))

(defrule EXTENT::close
  (declare (salience 10))
  ?a <- (system (extent nil) (row ?s) (partner ?k&~nil) (label ?l))
  (candidate (system ?s) (key ?k) (distance ?o))
  (or (far (label ?l) (from ?y)) (and (far (label default) (from ?y)) (not (far (label ?l)))))
  (test (< ?o ?y))
  =>
  (modify ?a (extent "close")))

(defrule EXTENT::far
  (declare (salience 5))
  ?a <- (system (extent nil) (row ?s) (partner ?k&~nil))
  (candidate (system ?s) (key ?k) (iou ?x&:(< ?x 0.5)))
  =>
  (modify ?a (extent "far")))

(defrule EXTENT::apart
  ?a <- (system (extent nil) (partner nil))
  =>
  (modify ?a (extent "apart")))
