/**
 * Lift in JupyterLab: the colours of `.lift` files and of cells that begin with `%%lift`, and for JupyterLab's client of
 * language servers where such cells are and what it has no word for, inlay hints.
 *
 * A container of webpack's module federation, written by hand: JupyterLab loads this file as it is, without a bundler.
 */
(() => {
  'use strict';

  const MAGIC = /^%%lift[^\n]*\n?/;
  /** Milliseconds between the last key and the request for hints. */
  const PAUSE = 500;
  const KEYWORDS = /^(lift|define|lambda|let|if|tuple|pack|unpack|with|import|exists)(?![^\s()[\]])/;
  const TYPES = /^(array|vector|tuple)-type(?![^\s()[\]])|^(byte|ubyte|short|ushort|int|uint|long|ulong|half|float|double|bool)(?![^\s()[\]])/;

  const token = stream => {
    if (stream.match(/^;.*/)) return 'comment';
    if (stream.match(/^"[^"]*"?/)) return 'string';
    if (stream.match(KEYWORDS)) return 'keyword';
    if (stream.match(TYPES)) return 'typeName';
    if (stream.match(/^[-+]?\.?\d[\w.+-]*/)) return 'number';
    if (stream.match(/^#/)) return 'operator';
    if (stream.match(/^[^\s()[\];"#]+/)) return 'variableName';
    stream.next();
    return null;
  };

  /** Tells the client of language servers which part of a cell is Lift. */
  const extractor = {
    language: 'lift',
    // The Lift cells of a notebook form one program.
    standalone: false,
    fileExtension: 'lift',
    cellType: ['code'],
    hasForeignCode: (code, type) => type === 'code' && MAGIC.test(code),
    extractForeignCode: code => {
      const lines = code.split('\n');
      const last = lines.length - 1;
      const range = { start: { line: 1, column: 0 }, end: { line: last, column: lines[last].length } };
      return [{ hostCode: code, foreignCode: code.replace(MAGIC, ''), range, virtualShift: null }];
    },
  };

  /** Shows the server's inlay hints. */
  const hints = (manager, { Decoration, EditorView, ViewPlugin, WidgetType }, { StateEffect, StateField }) => {
    const replace = StateEffect.define();
    class Hint extends WidgetType {
      constructor(text) {
        super();
        this.text = text;
      }
      eq(other) {
        return other.text === this.text;
      }
      toDOM() {
        const element = document.createElement('span');
        element.className = 'lift-hint';
        element.style.cssText = 'opacity:.6;font-size:85%;background:#8882;border-radius:3px;padding:0 2px';
        element.textContent = this.text;
        return element;
      }
    }
    const field = StateField.define({
      create: () => Decoration.none,
      update: (marks, transaction) => {
        const found = transaction.effects.find(effect => effect.is(replace));
        return found ? found.value : marks.map(transaction.changes);
      },
      provide: from => EditorView.decorations.from(from),
    });

    /** The virtual document that contains a cell, and the line at which the cell begins. */
    const placed = body => {
      for (const [key, virtual] of manager.documents) {
        if (virtual.language !== 'lift') continue;
        const at = virtual.value.indexOf(body.trimEnd());
        const connection = manager.connections.get(key);
        const uri = connection && [...connection.openedUris.keys()].pop();
        if (at >= 0 && uri) return { connection, uri, line: virtual.value.slice(0, at).split('\n').length - 1 };
      }
      return undefined;
    };
    const ask = async view => {
      const text = view.state.doc.toString();
      const body = text.replace(MAGIC, '');
      if (!MAGIC.test(text) || !body.trim()) return [];
      const place = placed(body);
      if (!place) {
        // Without a language server for Python, the client reads cells only after an edit.
        await Promise.allSettled([...manager.adapters.values()].map(adapter => adapter.updateDocuments()));
        return [];
      }
      const end = place.line + body.split('\n').length;
      const range = { start: { line: place.line, character: 0 }, end: { line: end, character: 0 } };
      const request = { textDocument: { uri: place.uri }, range };
      const answer = await place.connection.connection.sendRequest('textDocument/inlayHint', request);
      if (view.state.doc.toString() !== text) return undefined;
      return answer.map(hint => {
        // Line 1 is the magic command.
        const line = view.state.doc.line(hint.position.line - place.line + 2);
        const label = Array.isArray(hint.label) ? hint.label.map(part => part.value).join('') : hint.label;
        return Decoration.widget({ widget: new Hint(label), side: 1 }).range(line.from + hint.position.character);
      });
    };
    const plugin = ViewPlugin.fromClass(class {
      constructor(view) {
        this.view = view;
        this.later(0);
      }
      update(change) {
        if (change.docChanged) this.later(0);
      }
      /** Repeats the request later, because the client sends a new document or an edit with a delay. */
      later(tries) {
        clearTimeout(this.timer);
        this.timer = setTimeout(async () => {
          const marks = await ask(this.view).catch(() => []);
          if (marks === undefined) return;
          this.view.dispatch({ effects: replace.of(Decoration.set(marks, true)) });
          if (!marks.length && tries < 6 && MAGIC.test(this.view.state.doc.toString())) this.later(tries + 1);
        }, PAUSE * (tries + 1));
      }
      destroy() {
        clearTimeout(this.timer);
      }
    });
    return [field, plugin];
  };

  let scope;
  const shared = async name => {
    const [version] = Object.values(scope[name]);
    return (await version.get())();
  };
  const factory = async () => {
    const wanted = ['@jupyterlab/codemirror', '@jupyterlab/lsp', '@codemirror/language', '@codemirror/view', '@codemirror/state'];
    const [codemirror, lsp, language, view, state] = await Promise.all(wanted.map(shared));
    const plugin = {
      id: 'lift-lang:plugin',
      autoStart: true,
      requires: [codemirror.IEditorLanguageRegistry, codemirror.IEditorExtensionRegistry],
      optional: [lsp.ILSPCodeExtractorsManager, lsp.ILSPDocumentConnectionManager],
      activate: (app, languages, extensions, extractors, manager) => {
        const support = new language.LanguageSupport(language.StreamLanguage.define({ name: 'lift', token }));
        languages.addLanguage({ name: 'lift', displayName: 'Lift', mime: 'text/x-lift', extensions: ['lift'], support });
        app.docRegistry.addFileType({
          name: 'lift',
          displayName: 'Lift',
          extensions: ['.lift'],
          mimeTypes: ['text/x-lift'],
          fileFormat: 'text',
          contentType: 'file',
        });
        extractors?.register(extractor, 'python');
        if (manager) {
          const made = codemirror.EditorExtensionRegistry.createImmutableExtension(hints(manager, view, state));
          extensions.addExtension({ name: 'lift:hints', factory: () => made });
        }
      },
    };
    return () => ({ __esModule: true, default: plugin });
  };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB['lift-lang'] = {
    init: given => {
      scope = given;
    },
    get: factory,
  };
})();
