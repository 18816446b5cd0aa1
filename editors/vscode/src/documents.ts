/** The result of a run as text: a read-only document `lift-run:/KERNEL.result`. */
import * as vscode from 'vscode';

import { columnFor, type Chosen } from './target';

export const RESULT_SCHEME = 'lift-run';

interface Entry {
    text: string;
    origin: Chosen;
}

export class Results implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly entries = new Map<string, Entry>();
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    readonly onDidChange = this.changed.event;
    private readonly registrations: vscode.Disposable;

    constructor() {
        this.registrations = vscode.Disposable.from(
            vscode.workspace.registerTextDocumentContentProvider(RESULT_SCHEME, this),
            vscode.workspace.onDidCloseTextDocument((d) => this.entries.delete(d.uri.toString())),
        );
    }

    provideTextDocumentContent(uri: vscode.Uri): string {
        // A restored window asks for documents of an earlier session.
        const old = '; Made in an earlier session: run "Lift: Run Kernel" again.\n';
        return this.entries.get(uri.toString())?.text ?? old;
    }

    originOf(uri: vscode.Uri): Chosen | undefined {
        return this.entries.get(uri.toString())?.origin;
    }

    /** Shows the text beside its program; the program keeps the focus. */
    async show(origin: Chosen & { kernel: string }, text: string): Promise<void> {
        const { source, kernel } = origin;
        const path = `/${kernel}.result`;
        const uri = vscode.Uri.from({ scheme: RESULT_SCHEME, path, query: source.toString() });
        this.entries.set(uri.toString(), { text, origin });
        this.changed.fire(uri);
        const document = await vscode.workspace.openTextDocument(uri);
        const language = 'lift-result';
        if (document.languageId !== language) {
            await vscode.languages.setTextDocumentLanguage(document, language);
        }
        const viewColumn = columnFor(uri, source);
        await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true, preview: false });
    }

    dispose(): void {
        this.registrations.dispose();
        this.changed.dispose();
    }
}
