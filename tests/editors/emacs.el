;;; emacs.el --- Emacs with editors/emacs and nothing else -*- lexical-binding: t; -*-

;;; Commentary:
;; emacs -Q --batch -L editors/emacs -l emacs.el FILE
;; A check that shows a feature of features.json begins with its name in brackets.

;;; Code:
(require 'lift-mode)
(require 'eglot)

(defvar my-failed 0)
(defun my-check (name ok &optional got)
  "Say whether OK holds of NAME; GOT is what was there."
  (unless ok (setq my-failed (1+ my-failed)))
  (princ (format "%s %s%s\n" (if ok "ok" "not ok") name (if ok "" (format ", got: %S" got)))))
(defun my-wait (f)
  "Wait until F gives something, and give it."
  (let ((end (+ (float-time) 20)) r)
    (while (and (not (setq r (funcall f))) (< (float-time) end))
      (accept-process-output nil 0.05))
    r))
(defun my-at (text)
  "Go to the start of TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(setq make-backup-files nil auto-save-default nil create-lockfiles nil
      eglot-sync-connect t eglot-confirm-server-edits nil
      lift-server (list (getenv "LIFT") "lsp")
      lift-options '(:inlayHints (:types :json-false)))
(find-file (car command-line-args-left))
(setq command-line-args-left nil)

(my-check "the mode" (eq major-mode 'lift-mode) major-mode)
(let ((before (buffer-string)))
  (indent-region (point-min) (point-max))
  (my-check "[indentation] indentation is that of the formatter" (equal before (buffer-string)) (buffer-string)))
(set-buffer-modified-p nil)
(my-check "[comments] comments"
          (progn (my-at "(define (large")
                 (comment-line 1)
                 (prog1 (progn (goto-char (point-min)) (search-forward "; (define (large" nil t))
                   (my-at "; (define (large")
                   (comment-line 1)))
          (buffer-string))
(set-buffer-modified-p nil)
(font-lock-ensure)
(my-check "[colours] colours"
          (progn (my-at "lift twice")
                 (and (eq 'font-lock-keyword-face (get-text-property (point) 'face))
                      (eq 'font-lock-function-name-face (get-text-property (+ (point) 5) 'face)))))
(my-check "[symbols] symbols" (assoc "twice" (imenu--make-index-alist t)) (imenu--make-index-alist t))
(call-interactively #'eglot)
(my-check "the server starts" (my-wait (lambda () (and (eglot-current-server) (eglot-managed-p)))))

(flymake-mode 1)
(flymake-start)
(let ((found (my-wait #'flymake-diagnostics)))
  (my-check "[diagnostics] one diagnostic" (and (= 1 (length found)) (string-match-p "needs `Float`" (flymake-diagnostic-text (car found))))
            (mapcar #'flymake-diagnostic-text found)))

(my-at "filter large")
(my-check "[explicit] pack and unpack can be written out"
          (seq-some (lambda (a) (string-match-p "^Make pack/unpack explicit" (plist-get a :title)))
                    (eglot-code-actions (point) (point) nil nil)))
(my-at "2))")
(lift-explain)
(my-check "[explain] the page about an error"
          (with-current-buffer "*Lift: type-mismatch*" (string-match-p "^# type-mismatch" (buffer-string))))
(let ((action (seq-find (lambda (a) (equal (plist-get a :title) "Write `2.0f`")) (eglot-code-actions (point) (point) nil nil))))
  (my-check "a repair is offered" action)
  (when action (eglot-execute (eglot-current-server) action)))
(my-check "[actions] a repair" (my-wait (lambda () (string-match-p "(\\* x 2\\.0f)" (buffer-string)))) (buffer-string))

(my-at "filter")
(let (got)
  (eglot-hover-eldoc-function (lambda (s &rest _) (setq got (or s t))))
  (my-wait (lambda () got))
  (my-check "[hover] hover" (and (stringp got) (string-match-p "<∃X, Array\\[Float,X\\]>" (substring-no-properties got))) got))

;; Eglot tells of edits when Emacs is idle, which it never is here.
(eglot--signal-textDocument/didChange)
(my-at "(> x 0.5f)")
(let ((inhibit-message t))
  (lift-type-of-region (point) (+ (point) (length "(> x 0.5f)"))))
(my-check "[selection] the type of the selected expression"
          (with-current-buffer "*Messages*" (string-match-p "^Bool" (buffer-string)))
          (with-current-buffer "*Messages*" (buffer-string)))
(my-at "double (filter")
(let (got)
  (eglot-signature-eldoc-function (lambda (s &rest _) (setq got (or s t))))
  (my-wait (lambda () got))
  (my-check "[signature] the signature of the call" (and (stringp got) (string-match-p "map" got)) got))
(my-at "x 0.5f")
(eglot-hover-eldoc-function #'ignore)
(my-check "[highlights] the uses of a name"
          (my-wait (lambda () (>= (seq-count (lambda (o) (eq 'eglot-highlight-symbol-face (overlay-get o 'face)))
                                             (overlays-in (point-min) (point-max)))
                                  2))))

(eglot-inlay-hints-mode 1)
(eglot--update-hints-1 (point-min) (point-max))
(my-check "[hints] inlay hints"
          (my-wait (lambda ()
                     (seq-some (lambda (o)
                                 (and (overlay-get o 'eglot--inlay-hint)
                                      (string-match-p "X1" (concat (overlay-get o 'before-string) (overlay-get o 'after-string)))))
                               (overlays-in (point-min) (point-max)))))
          (mapcar (lambda (o) (overlay-get o 'after-string)) (overlays-in (point-min) (point-max))))

(defun my-labels ()
  "The inlay hints."
  (mapconcat (lambda (o) (concat (overlay-get o 'before-string) (overlay-get o 'after-string)))
             (seq-filter (lambda (o) (overlay-get o 'eglot--inlay-hint)) (overlays-in (point-min) (point-max)))
             " "))
(my-check "[options] a kind of hint is off" (not (string-match-p ": Array" (my-labels))) (my-labels))

(my-at "large x")
(my-check "[references] references"
          (= 2 (length (seq-uniq (mapcar (lambda (x) (xref-location-line (xref-item-location x)))
                                         (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot)))))))
(my-check "[workspace-symbols] symbols of all files"
          (seq-some (lambda (x) (string-match-p "double" (xref-item-summary x))) (xref-backend-apropos 'eglot "doub")))
;; A name that is half typed.
(my-at "large xs")
(delete-char 5)
(insert "lar")
(eglot--signal-textDocument/didChange)
(let* ((capf (eglot-completion-at-point))
       (all (all-completions "lar" (nth 2 capf))))
  (my-check "[completion] completion" (member "large" (mapcar #'substring-no-properties all)) all))
(insert "ge   ")
(eglot--signal-textDocument/didChange)
(eglot-format-buffer)
(my-check "[format] formatting" (string-match-p "(map double (filter large xs))" (buffer-string)) (buffer-string))
(eglot--signal-textDocument/didChange)

(my-at "large x")
(eglot-rename "big")
(my-check "[rename] rename" (my-wait (lambda () (and (string-match-p "(define (big x)" (buffer-string))
                                            (string-match-p "(filter big xs)" (buffer-string)))))
          (buffer-string))

(eglot--signal-textDocument/didChange)
(let ((program (current-buffer)))
  (my-at "map double")
  (call-interactively #'xref-find-definitions)
  (my-check "[definition] a built-in name leads to its declaration"
            (and (not (eq (current-buffer) program)) (> (buffer-size) 1000) (looking-at-p "map\\|mapSeq")) (buffer-name))
  (set-buffer program)
  (switch-to-buffer program)
  (my-at "map double")
  (lift-generate-opencl)
  (defun my-view (text)
    "Wait until the view has TEXT."
    (my-wait (lambda () (with-current-buffer "*Lift: twice.cl*" (string-match-p (regexp-quote text) (buffer-string))))))
  (my-check "[opencl] generated OpenCL" (my-view "__kernel"))
  (defun my-replace (from to)
    "Replace the text FROM by TO, and tell the server."
    (set-buffer program)
    (my-at from)
    (delete-char (length from))
    (insert to)
    (eglot--signal-textDocument/didChange))
  (my-replace "0.5f" "0.625f")
  (my-check "[live] it follows an edit" (my-view "0.625f"))
  (my-replace "0.625f" "true")
  (my-check "[stale] a broken program leaves the last good text" (and (my-view "// stale: ") (my-view "0.625f")))
  (my-replace "true" "0.5f")
  (my-check "and again" (my-view "0.5f"))
  (my-at "map double")
  (lift-generate-opencl "core")
  (my-check "[stages] another stage" (with-current-buffer "*Lift: twice.core*" (string-match-p "filter" (buffer-string))))
  (set-buffer program)
  (lift-run-kernel)
  (my-check "[run] a run" (with-current-buffer "*Lift: twice*" (string-match-p "1\\.5\n2\\.0" (buffer-string)))
            (with-current-buffer "*Lift: twice*" (buffer-string)))
  (set-buffer program)
  (eglot--update-hints-1 (point-min) (point-max))
  (my-check "[times] times at the ends of the lines" (my-wait (lambda () (string-match-p "µs" (my-labels)))) (my-labels))
  (with-temp-file (expand-file-name "other.lift") (insert "(import \"program.lift\")"))
  (find-file (expand-file-name "other.lift"))
  (my-at "program")
  (require 'ffap)
  (my-check "[links] the file that is imported" (equal (ffap-file-at-point) "program.lift") (ffap-file-at-point))
  (set-buffer program))

(let ((server (eglot-current-server)))
  (eglot-shutdown server)
  (my-check "the server stops" (my-wait (lambda () (not (jsonrpc-running-p server))))))
(set-buffer-modified-p nil)
(kill-emacs (if (> my-failed 0) 1 0))
;;; emacs.el ends here
