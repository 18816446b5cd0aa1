/**
 * Lengths that would have to be equal and are not known to be, painted at their place in the colour of errors: `✗ X1 = X2`.
 *
 * Inlay hints have one colour, so the server leaves these to the extension (its option `paintsObligations`) and says with
 * an error what to paint, and where.
 */
import * as vscode from 'vscode';

export interface Obligation {
    label: string;
    position: { line: number; character: number };
}

/** The mismatch in an error's data; undefined for other errors. */
export function obligationOf(data: unknown): Obligation | undefined {
    const said = (data as { obligation?: Partial<Obligation> } | null | undefined)?.obligation;
    const { label, position } = said ?? {};
    return typeof label === 'string' && Number.isInteger(position?.line) && Number.isInteger(position?.character)
        ? { label, position: position as Obligation['position'] }
        : undefined;
}

export class Obligations implements vscode.Disposable {
    private readonly painted = new Map<string, Obligation[]>();
    private readonly paint = vscode.window.createTextEditorDecorationType({
        after: { color: new vscode.ThemeColor('editorError.foreground'), margin: '0 0 0 0.3em' },
        rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    });
    private readonly watching = vscode.window.onDidChangeVisibleTextEditors(() => this.show());

    /** Sets the errors of a program. Until the next call, the painted texts move with the program. */
    update(uri: vscode.Uri, data: unknown[]): void {
        this.painted.set(uri.toString(), data.flatMap((d) => obligationOf(d) ?? []));
        this.show(uri.toString());
    }

    dispose(): void {
        this.watching.dispose();
        this.paint.dispose();
    }

    private show(only?: string): void {
        for (const editor of vscode.window.visibleTextEditors) {
            const uri = editor.document.uri.toString();
            const obligations = this.painted.get(uri);
            if (obligations === undefined || (only !== undefined && only !== uri)) continue;
            const decorations = obligations.map(({ label, position: { line, character } }) => ({
                range: new vscode.Range(line, character, line, character),
                renderOptions: { after: { contentText: label } },
            }));
            editor.setDecorations(this.paint, decorations);
        }
    }
}
