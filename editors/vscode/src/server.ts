/**
 * The life of the language server: found, started, restarted when its settings change, stopped;
 * and the one way in which the extension asks it for something beyond the protocol.
 *
 * Invariant: at most one client is alive. Starts and stops queue behind each other in `work`.
 */
import * as vscode from 'vscode';
import {
    DefinitionRequest,
    DidChangeConfigurationNotification,
    ExecuteCommandRequest,
    HoverRequest,
    LanguageClient,
    RevealOutputChannelOn,
    State,
    WorkDoneProgress,
    type ExecuteCommandMiddleware,
    type HandleDiagnosticsSignature,
    type ProvideHoverSignature,
    type Hover,
    type WorkDoneProgressBegin,
    type WorkDoneProgressReport,
} from 'vscode-languageclient/node';

import { HINT_KINDS } from './hints';
import { describeFailure, locateServer, type Server } from './locate';
import { Obligations } from './obligations';
import { REQUEST } from './protocol';
import { Revival } from './revival';
import { TraceChannel } from './trace';

export type ServerState =
    | { kind: 'starting' }
    | { kind: 'running'; server: Server }
    | { kind: 'stopped' }
    /** Not found, or it crashed and was not restarted. */
    | { kind: 'failed'; why: string };

export type Progress = WorkDoneProgressBegin | WorkDoneProgressReport;

export interface ExecuteOptions {
    token?: vscode.CancellationToken;
    onProgress?: (progress: Progress) => void;
}

export class LiftServer implements vscode.Disposable {
    private readonly stateChanged = new vscode.EventEmitter<ServerState>();
    readonly onDidChangeState = this.stateChanged.event;

    /** What the server and the client log. */
    readonly output = vscode.window.createOutputChannel('Lift', { log: true });
    private readonly trace = new TraceChannel();
    private readonly obligations = new Obligations();
    /** Imported programs change on disk without being open. */
    private readonly files = vscode.workspace.createFileSystemWatcher('**/*.lift');

    private client: LanguageClient | undefined;
    private work: Promise<void> = Promise.resolve();
    private tokens = 0;
    private current: ServerState = { kind: 'stopped' };

    constructor(
        private readonly extension: vscode.ExtensionContext,
        /** Gets the commands that the server offers in lenses and code actions. */
        private readonly middleware: ExecuteCommandMiddleware,
    ) {}

    get state(): ServerState {
        return this.current;
    }

    start(): Promise<void> {
        return this.queue(() => this.startNow());
    }

    stop(): Promise<void> {
        return this.queue(() => this.stopNow());
    }

    restart(): Promise<void> {
        return this.queue(async () => {
            await this.stopNow();
            await this.startNow();
        });
    }

    /** Runs a command on the server. Rejects with the server's error, or if there is no server. */
    async execute<R>(command: string, args: unknown[], options: ExecuteOptions = {}): Promise<R> {
        await this.work;
        const client = this.running();
        const workDoneToken = `lift-extension-${++this.tokens}`;
        const listening = client.onProgress(WorkDoneProgress.type, workDoneToken, (progress) => {
            if (progress.kind !== 'end') options.onProgress?.(progress);
        });
        try {
            const params = { command, arguments: args, workDoneToken };
            return (await client.sendRequest(ExecuteCommandRequest.type, params, options.token)) as R;
        } finally {
            listening.dispose();
        }
    }

    /** A request of this server's own. Waits for a server that is starting. */
    async ask<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
        await this.work;
        const client = this.running();
        // An absent token would count as a second parameter.
        return token ? client.sendRequest<R>(method, params, token) : client.sendRequest<R>(method, params);
    }

    /** Hovers and definitions in documents that the language client leaves to the extension. */
    async hover(
        document: vscode.TextDocument,
        position: vscode.Position,
        token: vscode.CancellationToken,
    ): Promise<vscode.Hover | undefined> {
        const client = this.running();
        const params = client.code2ProtocolConverter.asTextDocumentPositionParams(document, position);
        const hover = await client.sendRequest(HoverRequest.type, params, token);
        return client.protocol2CodeConverter.asHover(hover) ?? undefined;
    }

    async definition(
        document: vscode.TextDocument,
        position: vscode.Position,
        token: vscode.CancellationToken,
    ): Promise<vscode.Definition | vscode.DefinitionLink[] | undefined> {
        const client = this.running();
        const params = client.code2ProtocolConverter.asTextDocumentPositionParams(document, position);
        const found = await client.sendRequest(DefinitionRequest.type, params, token);
        return (await client.protocol2CodeConverter.asDefinitionResult(found, token)) ?? undefined;
    }

    /** The type of the selection if the mouse is on it, otherwise the server's hover. */
    private async provideHover(
        document: vscode.TextDocument,
        position: vscode.Position,
        token: vscode.CancellationToken,
        next: ProvideHoverSignature,
    ): Promise<vscode.Hover | null | undefined> {
        const editor = vscode.window.activeTextEditor;
        const selection = editor?.document === document ? editor.selection : undefined;
        if (selection !== undefined && !selection.isEmpty && selection.contains(position)) {
            const client = this.running();
            const found = await client.sendRequest<Hover | null>(
                REQUEST.hoverRange,
                {
                    textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
                    range: client.code2ProtocolConverter.asRange(selection),
                },
                token,
            );
            if (found !== null) return client.protocol2CodeConverter.asHover(found);
        }
        return next(document, position, token);
    }

    private handleDiagnostics(
        uri: vscode.Uri,
        diagnostics: vscode.Diagnostic[],
        next: HandleDiagnosticsSignature,
    ): void {
        // The language client keeps the data that the server sent with each.
        this.obligations.update(uri, diagnostics.map((d) => (d as { data?: unknown }).data));
        next(uri, diagnostics);
    }

    private running(): LanguageClient {
        const client = this.client;
        if (client === undefined || !client.isRunning()) {
            const why = this.current.kind === 'failed' ? this.current.why : 'It is not running.';
            throw new Error(`The Lift language server cannot be asked. ${why}`);
        }
        return client;
    }

    /** Sends changed settings to a running server. */
    async configure(): Promise<void> {
        await this.work;
        const settings = { lift: serverOptions() };
        await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings });
    }

    dispose(): void {
        this.stateChanged.dispose();
        this.trace.dispose();
        this.obligations.dispose();
        this.files.dispose();
        this.output.dispose();
    }

    private queue(job: () => Promise<void>): Promise<void> {
        this.work = this.work.then(job, job);
        return this.work;
    }

    private setState(state: ServerState): void {
        this.current = state;
        this.stateChanged.fire(state);
    }

    private async startNow(): Promise<void> {
        this.setState({ kind: 'starting' });
        const settings = vscode.workspace.getConfiguration('lift');
        const search = await locateServer({
            setting: settings.get<string>('server.path', ''),
            extension: this.extension.extensionPath,
            workspace: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
            env: process.env,
        });
        const server = search.server;
        if (server === undefined) {
            this.fail(describeFailure(search));
            return;
        }
        const passedOver = search.rejected.find((r) => r.place === 'setting' && r.why !== 'not set');
        if (passedOver !== undefined) {
            const message = `lift.server.path: ${passedOver.why}. Using ${server.file} instead.`;
            this.output.warn(message);
            void vscode.window.showWarningMessage(message);
        }
        this.output.info(`Starting ${server.file} (${server.place}): ${server.version}`);

        const client = this.newClient(server, settings);
        client.onDidChangeState(({ newState }) => {
            if (newState === State.Running) this.setState({ kind: 'running', server });
            else if (newState === State.Starting) this.setState({ kind: 'starting' });
            else if (newState === State.StartFailed) {
                this.setState({ kind: 'failed', why: `${server.file} did not start.` });
            }
        });
        this.client = client;
        try {
            await client.start();
        } catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            this.client = undefined;
            this.fail(`${server.file} did not start: ${why}`);
        }
    }

    private async stopNow(): Promise<void> {
        const client = this.client;
        this.client = undefined;
        if (client !== undefined) {
            try {
                await client.dispose();
            } catch (error) {
                // The client kills a server that does not answer `shutdown`, which loses nothing.
                this.output.warn(`The server did not stop in order: ${String(error)}`);
            }
        }
        this.setState({ kind: 'stopped' });
    }

    private newClient(server: Server, settings: vscode.WorkspaceConfiguration): LanguageClient {
        const extraArgs = settings.get<string[]>('server.extraArgs', []);
        const revival = new Revival((why) => this.fail(`${server.file} ${why}`));
        return new LanguageClient(
            'lift',
            'Lift',
            { command: server.file, args: ['lsp', '--stdio', ...extraArgs] },
            {
                documentSelector: [
                    { language: 'lift', scheme: 'file' },
                    { language: 'lift', scheme: 'untitled' },
                    // Pinned versions.
                    { language: 'lift', scheme: 'lift-pinned' },
                    { language: 'apl', scheme: 'file' },
                    { language: 'fcl', scheme: 'file' },
                    // The prelude and the primitives, which the server provides.
                    { language: 'lift', scheme: 'lift' },
                ],
                outputChannel: this.output,
                traceOutputChannel: this.trace,
                revealOutputChannelOn: RevealOutputChannelOn.Never,
                synchronize: { fileEvents: this.files },
                // Links in hovers may only start commands of this extension.
                markdown: {
                    isTrusted: { enabledCommands: ['lift.generateOpenCL', 'lift.showStage', 'lift.runKernel'] },
                },
                initializationOptions: serverOptions(),
                errorHandler: revival,
                middleware: {
                    ...this.middleware,
                    provideHover: (...asked) => this.provideHover(...asked),
                    handleDiagnostics: (...said) => this.handleDiagnostics(...said),
                },
            },
        );
    }

    /** Shows an error with a button for its remedy; does not wait for the answer. */
    private fail(why: string): void {
        this.setState({ kind: 'failed', why });
        this.output.error(why);
        const settings = 'Open Settings';
        const log = 'Show Output';
        void vscode.window.showErrorMessage(why, settings, log).then((chosen) => {
            if (chosen === settings) {
                void vscode.commands.executeCommand('workbench.action.openSettings', 'lift.server');
            } else if (chosen === log) {
                this.output.show();
            }
        });
    }
}

/** The server's options, documented in `docs/protocol.md`. */
function serverOptions(): Record<string, unknown> {
    const settings = vscode.workspace.getConfiguration('lift');
    const hints = HINT_KINDS.map((kind) => [kind, settings.get<boolean>(`inlayHints.${kind}`)] as const);
    return {
        runTimeLimit: settings.get<number>('run.timeLimit', 60),
        runMemoryLimit: settings.get<number>('run.memoryLimit', 4096),
        runRepeats: settings.get<number>('run.repeats', 10),
        runTimes: settings.get<boolean>('inlayHints.runTimes', true),
        inlayHints: Object.fromEntries(hints),
        paintsObligations: true,
        target: settings.get<string>('generated.target', 'portable'),
    };
}
