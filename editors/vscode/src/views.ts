/**
 * *Lift: Generate OpenCL* and *Lift: Show Stage*: generated texts beside their program.
 *
 * A view is a read-only document `lift-opencl:/KERNEL.cl?PROGRAM`. The server makes it anew while the
 * program is edited and tells the language client, which asks for it (`workspace/textDocumentContent`).
 * Here it is opened, asked for while there is no language client yet, and shown faded while it is stale.
 */
import * as vscode from 'vscode';

import { explain, messageOf } from './errors';
import { COMMAND, REQUEST, type Generated, type GenerateRequest, type Stage } from './protocol';
import type { LiftServer } from './server';
import { STAGE_KINDS, staleness, stageKind, viewOf } from './stages';
import { chooseKernel, columnFor, type Chosen, type Programs } from './target';

export const VIEW_SCHEME = 'lift-opencl';

/** The program and the kernel that a view shows. */
export function originOf(view: vscode.Uri): Chosen | undefined {
    const shown = view.scheme === VIEW_SCHEME ? viewOf(view.path) : undefined;
    return shown && { source: vscode.Uri.parse(view.query, true), kernel: shown.kernel };
}

export class Views implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    readonly onDidChange = this.changed.event;
    private readonly faded = vscode.window.createTextEditorDecorationType({ opacity: '0.55' });
    private readonly marked = vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        color: new vscode.ThemeColor('editorWarning.foreground'),
        overviewRulerColor: new vscode.ThemeColor('editorWarning.foreground'),
        overviewRulerLane: vscode.OverviewRulerLane.Full,
    });
    private readonly watching: vscode.Disposable;

    constructor(
        private readonly server: LiftServer,
        private readonly programs: Programs,
    ) {
        this.watching = vscode.Disposable.from(
            vscode.workspace.registerTextDocumentContentProvider(VIEW_SCHEME, this),
            vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((e) => this.mark(e))),
            vscode.workspace.onDidChangeTextDocument(({ document }) => this.markAll(document)),
            vscode.workspace.onDidOpenTextDocument((document) => void setLanguage(document)),
            // A new server does not know the open views, so request each again.
            server.onDidChangeState(({ kind }) => {
                if (kind !== 'running') return;
                for (const { uri } of vscode.workspace.textDocuments) {
                    if (uri.scheme === VIEW_SCHEME) this.changed.fire(uri);
                }
            }),
        );
        // Views of a restored window.
        vscode.workspace.textDocuments.forEach((document) => void setLanguage(document));
    }

    /** Asked by the editor before the language client offers its own provider. */
    async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
        try {
            return (await this.server.ask<{ text: string }>(REQUEST.virtualText, { uri: uri.toString() })).text;
        } catch (error) {
            return `// stale: ${messageOf(error).replaceAll('\n', ' ')}\n`;
        }
    }

    /** `named` is a {@link GenerateRequest} when a lens, a code action or a link starts this; else anything. */
    async show(named: unknown, stage: Stage = stageOf(named) ?? 'opencl'): Promise<void> {
        const chosen = this.programs.choose(named);
        if (chosen === undefined) {
            void vscode.window.showInformationMessage('Open a Lift program first: a file named *.lift.');
            return;
        }
        try {
            const kernel = await chooseKernel(this.server, chosen);
            if (kernel === undefined) return;
            await this.open(chosen.source, kernel.name, stage);
        } catch (error) {
            explain(this.server.output, `No ${stageKind(stage).title}`, error);
        }
    }

    /** Asks which stage of the current kernel to show. */
    async chooseStage(named: unknown): Promise<void> {
        const given = stageOf(named);
        const active = vscode.window.activeTextEditor?.document.uri;
        const shown = active && viewOf(active.path)?.kind.stage;
        const picked =
            given ??
            (
                await vscode.window.showQuickPick(
                    STAGE_KINDS.map((kind) => ({
                        label: kind.title,
                        detail: kind.detail,
                        ...(active?.scheme === VIEW_SCHEME && kind.stage === shown && { description: 'shown' }),
                        stage: kind.stage,
                    })),
                    { title: 'What the kernel becomes', placeHolder: 'Show' },
                )
            )?.stage;
        if (picked !== undefined) await this.show(named, picked);
    }

    dispose(): void {
        this.watching.dispose();
        this.faded.dispose();
        this.marked.dispose();
        this.changed.dispose();
    }

    private async open(source: vscode.Uri, kernel: string, stage: Stage): Promise<void> {
        const request: GenerateRequest = { uri: source.toString(), kernel, stage };
        const generated = await vscode.window.withProgress(
            { location: vscode.ProgressLocation.Window, title: `Lift: generating ${kernel}` },
            () => this.server.execute<Generated>(COMMAND.generateOpenCL, [request]),
        );
        const uri = vscode.Uri.parse(generated.uri, true);
        const document = await setLanguage(await vscode.workspace.openTextDocument(uri));
        await vscode.window.showTextDocument(document, {
            viewColumn: columnFor(uri, source),
            preserveFocus: true,
            preview: false,
        });
    }

    private markAll(document: vscode.TextDocument): void {
        if (document.uri.scheme !== VIEW_SCHEME) return;
        vscode.window.visibleTextEditors.filter((e) => e.document === document).forEach((e) => this.mark(e));
    }

    private mark(editor: vscode.TextEditor): void {
        const { document } = editor;
        if (document.uri.scheme !== VIEW_SCHEME) return;
        const stale = staleness(document.lineAt(0).text) !== undefined;
        const first = document.lineAt(0).range;
        const rest = new vscode.Range(1, 0, document.lineCount, 0);
        editor.setDecorations(this.marked, stale ? [first] : []);
        editor.setDecorations(this.faded, stale && document.lineCount > 1 ? [rest] : []);
    }
}

/** Sets the language here, because file extensions such as `.core` may belong to other extensions. */
async function setLanguage(document: vscode.TextDocument): Promise<vscode.TextDocument> {
    const language = document.uri.scheme === VIEW_SCHEME ? viewOf(document.uri.path)?.kind.language : undefined;
    if (language === undefined || document.languageId === language) return document;
    return vscode.languages.setTextDocumentLanguage(document, language);
}

function stageOf(named: unknown): Stage | undefined {
    const stage = (named as Partial<GenerateRequest> | undefined)?.stage;
    return STAGE_KINDS.find((kind) => kind.stage === stage)?.stage;
}
