;;; emacs.el --- Emacs with editors/emacs and nothing else -*- lexical-binding: t; -*-

;;; Commentary:
;; emacs -Q --batch -L editors/emacs -l emacs.el FILE

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
      lift-server (list (getenv "LIFT") "lsp"))
(find-file (car command-line-args-left))
(setq command-line-args-left nil)

(my-check "the mode" (eq major-mode 'lift-mode) major-mode)
(let ((before (buffer-string)))
  (indent-region (point-min) (point-max))
  (my-check "indentation is that of the formatter" (equal before (buffer-string)) (buffer-string)))
(set-buffer-modified-p nil)
(my-check "symbols" (assoc "twice" (imenu--make-index-alist t)) (imenu--make-index-alist t))
(call-interactively #'eglot)
(my-check "the server starts" (my-wait (lambda () (and (eglot-current-server) (eglot-managed-p)))))

(flymake-mode 1)
(flymake-start)
(let ((found (my-wait #'flymake-diagnostics)))
  (my-check "one diagnostic" (and (= 1 (length found)) (string-match-p "needs `Float`" (flymake-diagnostic-text (car found))))
            (mapcar #'flymake-diagnostic-text found)))

(my-at "2))")
(let ((action (seq-find (lambda (a) (equal (plist-get a :title) "Write `2.0f`")) (eglot-code-actions (point) (point) nil nil))))
  (my-check "a repair is offered" action)
  (when action (eglot-execute (eglot-current-server) action)))
(my-check "a repair" (my-wait (lambda () (string-match-p "(\\* x 2\\.0f)" (buffer-string)))) (buffer-string))

(my-at "filter")
(let (got)
  (eglot-hover-eldoc-function (lambda (s &rest _) (setq got (or s t))))
  (my-wait (lambda () got))
  (my-check "hover" (and (stringp got) (string-match-p "<∃X, Array\\[Float,X\\]>" (substring-no-properties got))) got))

;; Eglot tells of edits when Emacs is idle, which it never is here.
(eglot--signal-textDocument/didChange)
(eglot-inlay-hints-mode 1)
(eglot--update-hints-1 (point-min) (point-max))
(my-check "inlay hints"
          (my-wait (lambda ()
                     (seq-some (lambda (o)
                                 (and (overlay-get o 'eglot--inlay-hint)
                                      (string-match-p "X1" (concat (overlay-get o 'before-string) (overlay-get o 'after-string)))))
                               (overlays-in (point-min) (point-max)))))
          (mapcar (lambda (o) (overlay-get o 'after-string)) (overlays-in (point-min) (point-max))))

(my-at "large x")
(eglot-rename "big")
(my-check "rename" (my-wait (lambda () (and (string-match-p "(define (big x)" (buffer-string))
                                            (string-match-p "(filter big xs)" (buffer-string)))))
          (buffer-string))

(eglot--signal-textDocument/didChange)
(let ((program (current-buffer)))
  (my-at "map double")
  (call-interactively #'xref-find-definitions)
  (my-check "a built-in name leads to its declaration"
            (and (not (eq (current-buffer) program)) (> (buffer-size) 1000) (looking-at-p "map\\|mapSeq")) (buffer-name))
  (set-buffer program)
  (switch-to-buffer program)
  (my-at "map double")
  (lift-generate-opencl)
  (my-check "generated OpenCL" (with-current-buffer "*Lift: twice.cl*" (string-match-p "__kernel" (buffer-string))))
  (lift-run-kernel)
  (my-check "a run" (with-current-buffer "*Lift: twice*" (string-match-p "1\\.5\n2\\.0" (buffer-string)))
            (with-current-buffer "*Lift: twice*" (buffer-string))))

(let ((server (eglot-current-server)))
  (eglot-shutdown server)
  (my-check "the server stops" (my-wait (lambda () (not (jsonrpc-running-p server))))))
(set-buffer-modified-p nil)
(kill-emacs (if (> my-failed 0) 1 0))
;;; emacs.el ends here
