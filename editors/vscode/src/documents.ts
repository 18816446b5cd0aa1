/**
 * Read-only documents that are computed, not stored: the generated OpenCL (`lift-opencl:`) and the
 * result of a run (`lift-run:`). Making one again under the same address refreshes what is shown.
 */
import * as vscode from 'vscode';

export const OPENCL_SCHEME = 'lift-opencl';
export const RESULT_SCHEME = 'lift-run';

/** What a computed document was computed from. */
export interface Origin {
    source: vscode.Uri;
    kernel: string;
}

interface Entry {
    text: string;
    origin: Origin;
}

export class ComputedDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly entries = new Map<string, Entry>();
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    readonly onDidChange = this.changed.event;
    private readonly registrations: vscode.Disposable[];

    constructor() {
        this.registrations = [
            ...[OPENCL_SCHEME, RESULT_SCHEME].map((scheme) =>
                vscode.workspace.registerTextDocumentContentProvider(scheme, this),
            ),
            vscode.workspace.onDidCloseTextDocument((d) => this.entries.delete(d.uri.toString())),
        ];
    }

    provideTextDocumentContent(uri: vscode.Uri): string {
        const entry = this.entries.get(uri.toString());
        if (entry !== undefined) return entry.text;
        // A window that is restored asks for the texts of its last life.
        return uri.scheme === OPENCL_SCHEME
            ? '// Made in an earlier session: run "Lift: Generate OpenCL" again.\n'
            : '; Made in an earlier session: run "Lift: Run Kernel" again.\n';
    }

    originOf(uri: vscode.Uri): Origin | undefined {
        return this.entries.get(uri.toString())?.origin;
    }

    /** The documents of one scheme that were computed from `source`. */
    computedFrom(source: vscode.Uri, scheme: string): { uri: vscode.Uri; origin: Origin }[] {
        return [...this.entries]
            .filter(([, entry]) => entry.origin.source.toString() === source.toString())
            .map(([key, entry]) => ({ uri: vscode.Uri.parse(key, true), origin: entry.origin }))
            .filter(({ uri }) => uri.scheme === scheme);
    }

    /** Sets the text at `uri`, without showing it. */
    update(uri: vscode.Uri, text: string, origin: Origin): void {
        this.entries.set(uri.toString(), { text, origin });
        this.changed.fire(uri);
    }

    /** Sets the text at `uri` and shows it beside its program; the program keeps the focus. */
    async show(uri: vscode.Uri, text: string, origin: Origin, language: string): Promise<void> {
        this.update(uri, text, origin);
        const document = await vscode.workspace.openTextDocument(uri);
        if (document.languageId !== language) {
            await vscode.languages.setTextDocumentLanguage(document, language);
        }
        await vscode.window.showTextDocument(document, {
            viewColumn: columnFor(uri, origin.source),
            preserveFocus: true,
            preview: false,
        });
    }

    dispose(): void {
        this.registrations.forEach((r) => void r.dispose());
        this.changed.dispose();
    }
}

/** Where the document already is, or else the column to the right of its program. */
function columnFor(uri: vscode.Uri, source: vscode.Uri): vscode.ViewColumn {
    for (const group of vscode.window.tabGroups.all) {
        for (const tab of group.tabs) {
            const input = tab.input;
            if (input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()) {
                return group.viewColumn;
            }
        }
    }
    const program = vscode.window.visibleTextEditors.find(
        (e) => e.document.uri.toString() === source.toString() && e.viewColumn !== undefined,
    );
    return program?.viewColumn === undefined ? vscode.ViewColumn.Beside : program.viewColumn + 1;
}
