/** Determines the program and kernel of a command. */
import * as vscode from 'vscode';

import { COMMAND, type Kernel, type Target } from './protocol';
import type { LiftServer } from './server';

/** A program, and optionally a position or a kernel in it. */
export interface Chosen {
    source: vscode.Uri;
    position?: vscode.Position;
    kernel?: string;
}

/** The languages of programs. */
const LANGUAGES: ReadonlySet<string> = new Set(['lift', 'apl', 'fcl']);

/** Remembers the program that was edited last, for commands started from elsewhere. */
export class Programs implements vscode.Disposable {
    private last: vscode.TextEditor | undefined;
    private readonly watching: vscode.Disposable;

    /** `originOf`: the program and kernel that a document was made from. */
    constructor(private readonly originOf: (document: vscode.Uri) => Chosen | undefined) {
        this.note(vscode.window.activeTextEditor);
        this.watching = vscode.window.onDidChangeActiveTextEditor((e) => this.note(e));
    }

    /**
     * What a command is about: what its caller named; else the program in the active editor, or the
     * program that the computed document in it came from; else the program edited last.
     */
    choose(named: unknown): Chosen | undefined {
        if (isTarget(named)) {
            return {
                source: vscode.Uri.parse(named.uri),
                ...(named.position && {
                    position: new vscode.Position(named.position.line, named.position.character),
                }),
                ...(named.kernel !== undefined && { kernel: named.kernel }),
            };
        }
        const active = vscode.window.activeTextEditor;
        if (active !== undefined) {
            // The elaborated program is also in the language Lift.
            const origin = this.originOf(active.document.uri);
            if (origin !== undefined) return origin;
            if (LANGUAGES.has(active.document.languageId)) return inEditor(active);
        }
        if (this.last === undefined || this.last.document.isClosed) return undefined;
        return inEditor(this.last);
    }

    dispose(): void {
        this.watching.dispose();
    }

    private note(editor: vscode.TextEditor | undefined): void {
        const document = editor?.document;
        if (document && LANGUAGES.has(document.languageId) && this.originOf(document.uri) === undefined) this.last = editor;
    }
}

function inEditor(editor: vscode.TextEditor): Chosen {
    return { source: editor.document.uri, position: editor.selection.active };
}

function isTarget(value: unknown): value is Target {
    return (
        typeof value === 'object' && value !== null && 'uri' in value && typeof value.uri === 'string'
    );
}

/**
 * The kernel that is meant: the one named, the one around the position, the only one, or the one
 * that the person picks. Undefined if the person picks none; an error if the program has none.
 */
export async function chooseKernel(
    server: LiftServer,
    chosen: Chosen,
    token?: vscode.CancellationToken,
): Promise<Kernel | undefined> {
    const kernels = await server.execute<Kernel[]>(
        COMMAND.kernels,
        [{ uri: chosen.source.toString() }],
        token ? { token } : {},
    );
    if (chosen.kernel !== undefined) {
        const named = kernels.find((k) => k.name === chosen.kernel);
        if (named === undefined) throw new Error(`This program has no kernel named ${chosen.kernel}.`);
        return named;
    }
    if (kernels.length === 0) {
        throw new Error('This program has no kernel: a kernel is a form (lift name (sizes) (types) …).');
    }
    const at = chosen.position;
    const around = at && kernels.find((k) => rangeOf(k).contains(at));
    if (around !== undefined) return around;
    if (kernels.length === 1) return kernels[0];
    const picked = await vscode.window.showQuickPick(
        kernels.map((kernel) => ({
            label: kernel.name,
            description: kernel.inputs.map((i) => i.type).join(' -> '),
            kernel,
        })),
        { title: 'Lift', placeHolder: 'Which kernel?' },
    );
    return picked?.kernel;
}

/** Where a document made from a program already is, or else the column to the right of the program. */
export function columnFor(made: vscode.Uri, source: vscode.Uri): vscode.ViewColumn {
    for (const group of vscode.window.tabGroups.all) {
        for (const tab of group.tabs) {
            const input = tab.input;
            if (input instanceof vscode.TabInputText && input.uri.toString() === made.toString()) {
                return group.viewColumn;
            }
        }
    }
    return columnBeside(source);
}

/** The column to the right of a program. */
export function columnBeside(source: vscode.Uri): vscode.ViewColumn {
    const program = vscode.window.visibleTextEditors.find(
        (e) => e.document.uri.toString() === source.toString() && e.viewColumn !== undefined,
    );
    return program?.viewColumn === undefined ? vscode.ViewColumn.Beside : program.viewColumn + 1;
}

function rangeOf(kernel: Kernel): vscode.Range {
    const { start, end } = kernel.range;
    return new vscode.Range(start.line, start.character, end.line, end.character);
}
