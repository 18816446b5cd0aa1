/** Characters of APL by a prefix key and a key: `` `r `` becomes ⍴. The server knows the characters and their keys. */
import * as vscode from 'vscode';

import { type Insertion, replacements } from './keys';
import type { LiftServer } from './server';

interface Characters {
    characters: { character: string; key: string }[];
}

export class Glyphs implements vscode.Disposable {
    private keys: Promise<Map<string, string>> | undefined;
    private readonly listening: vscode.Disposable[];

    constructor(private readonly lift: LiftServer) {
        this.listening = [
            vscode.workspace.onDidChangeTextDocument((event) => void this.changed(event)),
            // The characters are at hand before the first key.
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
        const editor = vscode.window.activeTextEditor;
        if (document.languageId !== 'apl' || editor?.document !== document || reason !== undefined) return;
        const prefix = vscode.workspace.getConfiguration('lift.apl', document).get<string>('prefixKey', '`');
        const typed = contentChanges.map(
            (change): Insertion => ({ at: change.rangeOffset, removed: change.rangeLength, text: change.text }),
        );
        const version = document.version;
        const found = replacements(prefix, await this.table(), typed, document.getText());
        // What is typed meanwhile has moved the places.
        if (found.length === 0 || document.version !== version) return;
        await editor.edit(
            (edit) => {
                for (const { start, end, text } of found) {
                    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
                    edit.replace(range, text);
                }
            },
            { undoStopBefore: false, undoStopAfter: true },
        );
    }

    /** The characters by their keys; empty while there is no server. */
    private table(): Promise<Map<string, string>> {
        this.keys ??= this.lift
            .ask<Characters>('lift/characters', {})
            .then(({ characters }) => new Map(characters.map(({ character, key }) => [key, character])))
            .catch(() => {
                this.keys = undefined;
                return new Map<string, string>();
            });
        return this.keys;
    }
}
