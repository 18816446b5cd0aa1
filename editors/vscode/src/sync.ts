/**
 * Links a program and its generated texts: the cursor and the mouse in one of them mark the
 * corresponding ranges in the other.
 *
 * Both directions ask the server, which knows the origin of each part of a text. Of several pending
 * requests, the newest counts. Only the active editor scrolls the others.
 */
import * as vscode from 'vscode';

import { PINNED_SCHEME } from './compare';
import { REQUEST, type GeneratedRangesParams, type SourceRange, type SourceRangeParams } from './protocol';
import type { LiftServer } from './server';
import { VIEW_SCHEME } from './views';

type Direction = 'toGenerated' | 'toProgram';

/** Milliseconds for which the cursor must rest before it is followed. */
const PAUSE = 60;

export class Sync implements vscode.Disposable {
    private readonly marks = vscode.window.createTextEditorDecorationType({
        backgroundColor: new vscode.ThemeColor('lift.correspondingBackground'),
        overviewRulerColor: new vscode.ThemeColor('lift.correspondingBackground'),
        overviewRulerLane: vscode.OverviewRulerLane.Center,
        rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    });
    private readonly watching: vscode.Disposable;
    private question = 0;
    private timer: NodeJS.Timeout | undefined;

    constructor(private readonly server: LiftServer) {
        const program: vscode.DocumentSelector = [
            { language: 'lift', scheme: 'file' },
            { language: 'lift', scheme: 'untitled' },
            { language: 'lift', scheme: PINNED_SCHEME },
        ];
        const view: vscode.DocumentSelector = { scheme: VIEW_SCHEME };
        this.watching = vscode.Disposable.from(
            vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
                if (textEditor === vscode.window.activeTextEditor) this.follow(textEditor);
            }),
            vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.follow(editor)),
            // A changed document has lost its marks, and their ranges have changed.
            vscode.workspace.onDidChangeTextDocument(({ document }) => {
                const active = vscode.window.activeTextEditor;
                if (document.uri.scheme === VIEW_SCHEME && active !== undefined) this.follow(active, false);
            }),
            vscode.workspace.onDidChangeConfiguration((e) => {
                if (e.affectsConfiguration('lift.generated')) this.clear();
            }),
            // This provider returns no hover: a request for one is the only way to follow the mouse.
            vscode.languages.registerHoverProvider(program, {
                provideHover: async (document, position, token) => {
                    if (hoverSynced()) {
                        await this.mark(document, new vscode.Range(position, position), false, token);
                    }
                    return undefined;
                },
            }),
            vscode.languages.registerHoverProvider(view, {
                provideHover: async (document, position, token) => {
                    if (hoverSynced()) {
                        await this.mark(document, new vscode.Range(position, position), false, token);
                    }
                    return this.server.hover(document, position, token);
                },
            }),
            vscode.languages.registerDefinitionProvider(view, {
                provideDefinition: (document, position, token) =>
                    this.server.definition(document, position, token),
            }),
        );
    }

    dispose(): void {
        clearTimeout(this.timer);
        this.watching.dispose();
        this.marks.dispose();
    }

    /** Marks the ranges that correspond to the selection, once the cursor rests. */
    private follow(editor: vscode.TextEditor, reveal = true): void {
        clearTimeout(this.timer);
        const direction = directionFrom(editor.document);
        if (direction === undefined) return;
        const wanted = vscode.workspace.getConfiguration('lift').get<string>('generated.syncCursor', 'both');
        if (wanted !== 'both' && wanted !== direction) return;
        this.timer = setTimeout(() => void this.mark(editor.document, editor.selection, reveal), PAUSE);
    }

    private async mark(
        document: vscode.TextDocument,
        range: vscode.Range,
        reveal: boolean,
        token?: vscode.CancellationToken,
    ): Promise<void> {
        const views = vscode.window.visibleTextEditors.filter((e) => e.document.uri.scheme === VIEW_SCHEME);
        const direction = directionFrom(document);
        if (views.length === 0 || direction === undefined) return;
        const question = ++this.question;
        const newest = (): boolean => question === this.question && token?.isCancellationRequested !== true;
        try {
            if (direction === 'toGenerated') await this.markViews(views, document, range, reveal, newest);
            else await this.markProgram(document, range, reveal, newest);
        } catch {
            // Without a server, or for a text that it does not know yet, nothing is marked.
            if (newest()) this.clear();
        }
    }

    private async markViews(
        views: vscode.TextEditor[],
        document: vscode.TextDocument,
        range: vscode.Range,
        reveal: boolean,
        newest: () => boolean,
    ): Promise<void> {
        for (const editor of views) {
            const params: GeneratedRangesParams = {
                view: editor.document.uri.toString(),
                uri: document.uri.toString(),
                range: plain(range),
            };
            const found = await this.server.ask<SourceRange['range'][]>(REQUEST.generatedRanges, params);
            if (!newest()) return;
            const ranges = found.map(toRange);
            editor.setDecorations(this.marks, ranges);
            const first = ranges[0];
            if (reveal && first !== undefined && !ranges.some((r) => isVisible(editor, r))) {
                editor.revealRange(first, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
            }
        }
        this.unmark((e) => e.document.uri.scheme !== VIEW_SCHEME);
    }

    private async markProgram(
        view: vscode.TextDocument,
        range: vscode.Range,
        reveal: boolean,
        newest: () => boolean,
    ): Promise<void> {
        const params: SourceRangeParams = { view: view.uri.toString(), range: plain(range) };
        const found = await this.server.ask<SourceRange | null>(REQUEST.sourceRange, params);
        if (!newest()) return;
        const source = found === null ? undefined : vscode.Uri.parse(found.uri, true).toString();
        for (const editor of vscode.window.visibleTextEditors) {
            if (found !== null && editor.document === view) {
                editor.setDecorations(this.marks, [toRange(found.part)]);
            } else if (found !== null && editor.document.uri.toString() === source) {
                const marked = toRange(found.range);
                editor.setDecorations(this.marks, [marked]);
                if (reveal) {
                    editor.revealRange(marked, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
                }
            } else {
                editor.setDecorations(this.marks, []);
            }
        }
    }

    private clear(): void {
        this.unmark(() => true);
    }

    private unmark(where: (editor: vscode.TextEditor) => boolean): void {
        vscode.window.visibleTextEditors.filter(where).forEach((e) => e.setDecorations(this.marks, []));
    }
}

function hoverSynced(): boolean {
    return vscode.workspace.getConfiguration('lift').get<boolean>('generated.syncHover', true);
}

function directionFrom({ uri, languageId }: vscode.TextDocument): Direction | undefined {
    if (uri.scheme === VIEW_SCHEME) return 'toProgram';
    return languageId === 'lift' && ['file', 'untitled', PINNED_SCHEME].includes(uri.scheme) ? 'toGenerated' : undefined;
}

function isVisible(editor: vscode.TextEditor, range: vscode.Range): boolean {
    return editor.visibleRanges.some((visible) => visible.intersection(range) !== undefined);
}

/** A range of the editor becomes a list in JSON. */
function plain({ start, end }: vscode.Range): SourceRange['range'] {
    return {
        start: { line: start.line, character: start.character },
        end: { line: end.line, character: end.character },
    };
}

function toRange({ start, end }: SourceRange['range']): vscode.Range {
    return new vscode.Range(start.line, start.character, end.line, end.character);
}
