/** Characters of APL by a prefix key and a key: `` `r `` becomes ⍴. The server knows the characters and their keys. */
import * as vscode from 'vscode';

import { type Insertion, Pairs } from './keys';
import type { LiftServer } from './server';

interface Characters {
    characters: { character: string; key: string }[];
}

export class Glyphs implements vscode.Disposable {
    private asked: Promise<ReadonlyMap<string, string>> | undefined;
    /** The characters by their keys; undefined until the server has sent them. */
    private keys: ReadonlyMap<string, string> | undefined;
    private readonly pairs = new WeakMap<vscode.TextDocument, Pairs>();
    /** The documents in which pairs are being replaced. */
    private readonly busy = new WeakSet<vscode.TextDocument>();
    private readonly listening: vscode.Disposable[];

    constructor(private readonly lift: LiftServer) {
        this.listening = [
            vscode.workspace.onDidChangeTextDocument((event) => void this.changed(event)),
            // Requests the characters before the first key.
            vscode.window.onDidChangeActiveTextEditor((editor) => {
                if (editor?.document.languageId === 'apl') void this.table();
            }),
        ];
    }

    dispose(): void {
        for (const listening of this.listening) listening.dispose();
    }

    private async changed(event: vscode.TextDocumentChangeEvent): Promise<void> {
        const { document, contentChanges, reason } = event;
        if (document.languageId !== 'apl' || contentChanges.length === 0) return;
        const pairs = this.pairs.get(document) ?? new Pairs();
        this.pairs.set(document, pairs);
        const prefix = vscode.workspace.getConfiguration('lift.apl', document).get<string>('prefixKey', '`');
        const changes = contentChanges.map(
            (change): Insertion => ({ at: change.rangeOffset, removed: change.rangeLength, text: change.text }),
        );
        const typed = reason === undefined && vscode.window.activeTextEditor?.document === document;
        pairs.changed(prefix, this.keys, changes, typed ? document.getText() : undefined);
        if (this.busy.has(document)) return;
        this.busy.add(document);
        try {
            await this.replace(document, pairs);
        } finally {
            this.busy.delete(document);
        }
    }

    /** Replaces pairs until none is left. */
    private async replace(document: vscode.TextDocument, pairs: Pairs): Promise<void> {
        const keys = this.keys ?? (await this.table());
        for (;;) {
            const found = pairs.replacements(keys);
            const editor = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
            if (found.length === 0 || editor === undefined) break;
            const version = document.version;
            // The change event of this edit removes the pairs. If something was typed meanwhile, the edit is refused
            // and the pairs have moved.
            const done = await editor.edit(
                (edit) => {
                    for (const { start, end, text } of found) {
                        const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
                        edit.replace(range, text);
                    }
                },
                { undoStopBefore: false, undoStopAfter: true },
            );
            if (!done && document.version === version) break;
        }
        pairs.forget();
    }

    /** The characters by their keys; empty without a server. */
    private table(): Promise<ReadonlyMap<string, string>> {
        this.asked ??= this.lift
            .ask<Characters>('lift/characters', {})
            .then(({ characters }) => (this.keys = new Map(characters.map(({ character, key }) => [key, character]))))
            .catch(() => {
                this.asked = undefined;
                return new Map<string, string>();
            });
        return this.asked;
    }
}
