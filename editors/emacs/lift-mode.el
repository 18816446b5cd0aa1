;;; lift-mode.el --- Major mode for the array language Lift  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: languages
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Colours, indentation and comments of Lift, and its language server by Eglot:
;;
;;     (require 'lift-mode)
;;     (add-hook 'lift-mode-hook #'eglot-ensure)

;;; Code:

(require 'cl-lib)
(require 'lisp-mode)

(defgroup lift nil
  "The array language Lift."
  :group 'languages)

(defcustom lift-server '("lift" "lsp")
  "The language server and its arguments."
  :type '(repeat string))

(defcustom lift-options nil
  "Options of the language server, as docs/protocol.md has them.
A property list: (:inlayHints (:types :json-false))."
  :type 'plist)

(defvar lift-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?\; "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\( "()" table)
    (modify-syntax-entry ?\) ")(" table)
    (modify-syntax-entry ?\[ "(]" table)
    (modify-syntax-entry ?\] ")[" table)
    (modify-syntax-entry ?# "'" table)
    ;; Every other character may be in a name.
    (dolist (c (string-to-list "!$%&'*+,-./:<=>?@\\^_`{|}~"))
      (modify-syntax-entry c "_" table))
    table)
  "Syntax table of `lift-mode'.")

(defconst lift-font-lock-keywords
  `(("[([]\\(define\\|lift\\|primitive\\)\\_>[ \t]+[([]?\\(\\(?:\\sw\\|\\s_\\)+\\)"
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    (,(concat "[([]" (regexp-opt '("import" "define" "lift" "primitive" "lambda" "λ" "let" "if" "tuple" "pack" "unpack"
                                   "o" "with" ":")
                                 t)
              "\\_>")
     1 font-lock-keyword-face)
    (,(concat "[([]" (regexp-opt '("array-type" "tuple-type" "vector-type" "exists" "->") t) "\\_>")
     1 font-lock-type-face)
    (,(regexp-opt '("byte" "ubyte" "short" "ushort" "int" "uint" "long" "ulong" "half" "float" "double"
                      "bool")
                    'symbols) . font-lock-type-face)
    (,(regexp-opt '("true" "false") 'symbols) . font-lock-constant-face)
    ("\\_<[-+]?\\(?:inf\\|nan\\)[fh]?\\_>" . font-lock-constant-face)
    ("#\\(?:\\sw\\|\\s_\\)+" . font-lock-constant-face)
    ("\\_<[-+]?\\(?:0x[0-9a-fA-F]+\\(?:u?L\\|u?s\\|ub?\\)?\\|[0-9]+\\(?:\\.[0-9]*\\)?\\(?:[eE][-+]?[0-9]+\\)?\\(?:[fh]\\|u?[Lbs]\\|u\\)?\\)\\_>" . font-lock-constant-face))
  "Colours of `lift-mode', where the server gives none.")

(defun lift-indent-function (position state)
  "How far POSITION is indented, inside of the group that STATE tells of.
Two columns after a word that heads a form, else as Lisp does."
  (save-excursion
    (goto-char (1+ (elt state 1)))
    (if (looking-at (concat (regexp-opt '("define" "lift" "primitive" "lambda" "λ" "let" "unpack" "with") t) "\\_>"))
        (+ 2 (progn (goto-char (elt state 1)) (current-column)))
      (lisp-indent-function position state))))

;;;###autoload
(define-derived-mode lift-mode prog-mode "Lift"
  "Major mode for the array language Lift."
  (setq-local comment-start ";"
              comment-start-skip ";+[ \t]*"
              comment-add 0
              font-lock-defaults '(lift-font-lock-keywords)
              indent-line-function #'lisp-indent-line
              lisp-indent-function #'lift-indent-function
              lisp-body-indent 2
              indent-tabs-mode nil
              imenu-generic-expression
              '((nil "^[([]\\(?:define\\|lift\\)[ \t]+[([]?\\(\\(?:\\sw\\|\\s_\\)+\\)" 1))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.lift\\'" . lift-mode))

(defvar fcl-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?- ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\( "()1nb" table)
    (modify-syntax-entry ?* ". 23bn" table)
    (modify-syntax-entry ?\) ")(4nb" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?' "_" table)
    (modify-syntax-entry ?# "_" table)
    table)
  "Syntax table of `fcl-mode'.")

(defconst fcl-font-lock-keywords
  `(("\\_<\\(sig\\|fun\\|val\\)\\_>[ \t]+\\(\\(?:\\sw\\|\\s_\\)+\\)"
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    (,(regexp-opt '("sig" "fun" "val" "let" "in" "fn" "if" "then" "else" "do" "forall") 'symbols)
     . font-lock-keyword-face)
    (,(regexp-opt '("int" "double" "bool" "string" "unit" "Program") 'symbols) . font-lock-type-face)
    ("'[A-Za-z]\\(?:\\sw\\|\\s_\\)*" . font-lock-type-face)
    (,(regexp-opt '("thread" "block" "grid" "Z" "true" "false") 'symbols) . font-lock-constant-face))
  "Colours of `fcl-mode'.")

;;;###autoload
(define-derived-mode fcl-mode prog-mode "FCL"
  "Major mode for FCL, whose programs Lift compiles."
  (setq-local comment-start "-- "
              comment-start-skip "--+[ \t]*"
              font-lock-defaults '(fcl-font-lock-keywords)
              indent-tabs-mode nil
              imenu-generic-expression
              '((nil "^\\(?:fun\\|val\\)[ \t]+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.fcl\\'" . fcl-mode))

(defcustom lift-apl-prefix-key "`"
  "The key before that of a character of APL; empty for none."
  :type 'string
  :group 'lift)

(defvar lift-apl-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?⍝ "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?' "\"" table)
    (modify-syntax-entry ?\" "." table)
    (modify-syntax-entry ?\\ "." table)
    table)
  "Syntax table of `lift-apl-mode'.")

;;;###autoload
(define-derived-mode lift-apl-mode prog-mode "APL"
  "Major mode for APL, whose programs Lift compiles."
  (unless (string-empty-p lift-apl-prefix-key)
    (local-set-key lift-apl-prefix-key #'lift-apl-insert))
  (setq-local comment-start "⍝ "
              comment-start-skip "⍝+[ \t]*"
              font-lock-defaults '(nil)
              indent-tabs-mode nil
              imenu-generic-expression
              '((nil "^[ \t]*\\(\\(?:\\sw\\|\\s_\\)+\\)[ \t]*←" 1))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.apl\\'" . lift-apl-mode))

(defvar lift--apl-characters nil
  "The characters of APL by their keys, once the server has sent them.")

(defun lift--apl-character (key)
  "The character of APL that KEY enters, or nil."
  (unless (or lift--apl-characters (not (fboundp 'eglot-current-server)) (not (eglot-current-server)))
    (setq lift--apl-characters
          (seq-map (lambda (entry) (cons (aref (plist-get entry :key) 0) (plist-get entry :character)))
                   (plist-get (jsonrpc-request (eglot-current-server) :lift/characters (make-hash-table))
                              :characters))))
  (cdr (assq key lift--apl-characters)))

(defun lift-apl-insert (key)
  "Insert the character of APL that KEY enters: r enters ⍴.
Of any other key, insert the prefix key and the key."
  (interactive (list (read-char (propertize lift-apl-prefix-key 'face 'minibuffer-prompt))))
  (barf-if-buffer-read-only)
  (insert (or (lift--apl-character key) (concat lift-apl-prefix-key (string key)))))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons '(lift-mode fcl-mode lift-apl-mode)
                     (lambda (&rest _)
                       (if lift-options
                           (append lift-server (list :initializationOptions lift-options))
                         lift-server)))))

(declare-function eglot-current-server "eglot")
(declare-function eglot-execute "eglot")
(declare-function eglot-execute-command "eglot")
(declare-function eglot--pos-to-lsp-position "eglot")
(declare-function eglot--path-to-uri "eglot")
(declare-function eglot--major-modes "eglot")
(declare-function eglot--format-markup "eglot")
(declare-function jsonrpc-request "jsonrpc")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function flymake-diagnostics "flymake")
(declare-function flymake-diagnostic-data "flymake")
(declare-function lift--virtual-text "lift-mode")
(defvar eglot--servers-by-project)

(defun lift--server ()
  "The language server of this program, or of any."
  (or (eglot-current-server)
      (seq-find (lambda (s) (memq 'lift-mode (eglot--major-modes s)))
                (apply #'append (hash-table-values eglot--servers-by-project)))
      (user-error "No language server runs here: M-x eglot")))

(defun lift--command (name &rest more)
  "What the server answers to its command NAME for the kernel at point; MORE are further members of its argument."
  (jsonrpc-request
   (lift--server) :workspace/executeCommand
   (list :command name
         :arguments (vector (append (list :uri (eglot--path-to-uri buffer-file-name)
                                          :position (eglot--pos-to-lsp-position))
                                    more)))
   :timeout 120))

(defun lift--show (name text mode)
  "Show TEXT in a buffer NAME in MODE beside the program."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text)
      (goto-char (point-min)))
    (funcall mode)
    (setq buffer-read-only t)
    (display-buffer (current-buffer))
    (current-buffer)))

(defconst lift-stages '("elaborated" "core" "scheduled" "opencl" "plan" "host")
  "What a kernel becomes, in order.")

(defvar-local lift--view nil
  "The address of the generated text in this buffer.")

(defun lift-generate-opencl (&optional stage)
  "Show the OpenCL of the kernel at point, which follows the edits; with a prefix argument, another STAGE."
  (interactive (list (and current-prefix-arg (completing-read "Stage: " lift-stages nil t))))
  (let* ((stage (or stage "opencl"))
         (answer (lift--command "lift.server.generateOpenCL" :stage stage))
         (uri (plist-get answer :uri))
         (name (format "*Lift: %s*" (substring uri (length "lift-opencl:/") (string-search "?" uri))))
         (mode (cond ((member stage '("opencl" "host")) (if (fboundp 'c-mode) #'c-mode #'fundamental-mode))
                     ((equal stage "plan") #'fundamental-mode)
                     (t #'lift-view-mode)))
         (text (plist-get (jsonrpc-request (lift--server) :lift/virtualText (list :uri uri)) :text)))
    (with-current-buffer (lift--show name text mode)
      (setq lift--view uri))))

(define-derived-mode lift-view-mode prog-mode "Lift view"
  "Generated texts that look like Lift: the elaborated program, the core."
  :syntax-table lift-mode-syntax-table
  (setq-local font-lock-defaults '(lift-font-lock-keywords)))

(defun lift--fill-view (server uri)
  "Fill the buffer that shows the text at URI anew from SERVER."
  (when-let* ((buffer (seq-find (lambda (b) (equal uri (buffer-local-value 'lift--view b))) (buffer-list))))
    (jsonrpc-async-request
     server :lift/virtualText (list :uri uri)
     :success-fn (lambda (answer)
                   (when (buffer-live-p buffer)
                     (with-current-buffer buffer
                       (let ((inhibit-read-only t) (at (point)))
                         (erase-buffer)
                         (insert (plist-get answer :text))
                         (goto-char (min at (point-max))))))))))

;; Generated texts follow the edits: the server says when one that was asked for has changed.
(with-eval-after-load 'eglot
  (cl-defmethod eglot-handle-notification (server (_method (eql lift/virtualTextChanged)) &key uri)
    "Fill the view of URI anew from SERVER."
    (lift--fill-view server uri)))

(defun lift-run-kernel ()
  "Run the kernel at point as its line `;;; run:' says, and show the result."
  (interactive)
  (let ((answer (lift--command "lift.server.runKernel")))
    (lift--show (format "*Lift: %s*" (plist-get answer :kernel))
                (format "; on %s\n%s" (plist-get answer :device) (plist-get answer :output))
                #'fundamental-mode)))

(defun lift-type-of-region (from to)
  "Show the type of the expression around the region from FROM to TO, and where its lengths come from."
  (interactive "r")
  (let* ((hover (jsonrpc-request
                 (lift--server) :lift/hoverRange
                 (list :textDocument (list :uri (eglot--path-to-uri buffer-file-name))
                       :range (list :start (eglot--pos-to-lsp-position from)
                                    :end (eglot--pos-to-lsp-position to)))))
         (contents (plist-get hover :contents)))
    (message "%s" (if contents (eglot--format-markup contents) "No expression"))))

(defun lift-explain ()
  "Show the page about the message at point."
  (interactive)
  (let* ((found (or (car (flymake-diagnostics (point)))
                    (car (flymake-diagnostics (pos-bol) (pos-eol)))
                    (user-error "There is no message here")))
         (code (plist-get (alist-get 'eglot-lsp-diag (flymake-diagnostic-data found)) :code))
         (uri (format "lift:/explain/%s.md" code)))
    (lift--show (format "*Lift: %s*" code) (lift--virtual-text uri) #'text-mode)))

;; Documents that only the server has: where a definition of a built-in name leads (`lift:/prelude.lift').

(defun lift--virtual-text (uri)
  "The text that the server has at URI."
  (plist-get (jsonrpc-request (lift--server) :lift/virtualText (list :uri uri)) :text))

(defun lift--file-handler (operation &rest arguments)
  "Do OPERATION with ARGUMENTS for a document of the server as if it were a file that cannot be written."
  (let ((uri (car arguments)))
    (pcase operation
      ((or 'expand-file-name 'file-truename 'abbreviate-file-name 'substitute-in-file-name) uri)
      ((or 'file-exists-p 'file-readable-p 'file-regular-p 'verify-visited-file-modtime) t)
      ((or 'file-writable-p 'file-directory-p 'file-remote-p 'file-symlink-p 'file-attributes 'vc-registered
           'file-modes 'file-locked-p)
       nil)
      ('insert-file-contents
       (let ((text (lift--virtual-text uri)))
         (save-excursion (insert text))
         (when (nth 1 arguments)
           (setq buffer-file-name uri)
           (set-visited-file-modtime 0)
           (set-buffer-modified-p nil))
         (list uri (length text))))
      (_ (let ((inhibit-file-name-handlers
                (cons #'lift--file-handler
                      (and (eq inhibit-file-name-operation operation) inhibit-file-name-handlers)))
               (inhibit-file-name-operation operation))
           (apply operation arguments))))))

(add-to-list 'file-name-handler-alist '("\\`lift:/" . lift--file-handler))

(define-key lift-mode-map (kbd "C-c C-o") #'lift-generate-opencl)
(define-key lift-mode-map (kbd "C-c C-c") #'lift-run-kernel)
(define-key lift-mode-map (kbd "C-c C-t") #'lift-type-of-region)
(define-key lift-mode-map (kbd "C-c C-e") #'lift-explain)

(provide 'lift-mode)
;;; lift-mode.el ends here
