/**
 * The output channel "Lift: Trace".
 *
 * The language client traces only while the log level of its trace channel is "trace", a level that
 * people set by hand for each channel and an extension cannot. This channel takes its level from the
 * setting `lift.trace.server` instead, so that the setting alone does what it says.
 */
import * as vscode from 'vscode';

export class TraceChannel implements vscode.LogOutputChannel {
    readonly name = 'Lift: Trace';

    private readonly levelChanged = new vscode.EventEmitter<vscode.LogLevel>();
    readonly onDidChangeLogLevel = this.levelChanged.event;

    private channel: vscode.OutputChannel | undefined;
    private readonly settings: vscode.Disposable;

    constructor() {
        this.settings = vscode.workspace.onDidChangeConfiguration((e) => {
            if (e.affectsConfiguration('lift.trace.server')) this.levelChanged.fire(this.logLevel);
        });
    }

    get logLevel(): vscode.LogLevel {
        const asked = vscode.workspace.getConfiguration('lift').get<string>('trace.server', 'off');
        return asked === 'off' ? vscode.LogLevel.Off : vscode.LogLevel.Trace;
    }

    trace(message: string): void {
        this.appendLine(message);
    }
    debug(message: string): void {
        this.appendLine(message);
    }
    info(message: string): void {
        this.appendLine(message);
    }
    warn(message: string): void {
        this.appendLine(message);
    }
    error(error: string | Error): void {
        this.appendLine(error instanceof Error ? (error.stack ?? error.message) : error);
    }

    append(value: string): void {
        this.open().append(value);
    }
    appendLine(value: string): void {
        this.open().appendLine(`[${new Date().toISOString()}] ${value}`);
    }
    replace(value: string): void {
        this.open().replace(value);
    }
    clear(): void {
        this.channel?.clear();
    }
    show(first?: vscode.ViewColumn | boolean, second?: boolean): void {
        this.open().show(typeof first === 'boolean' ? first : second);
    }
    hide(): void {
        this.channel?.hide();
    }

    dispose(): void {
        this.settings.dispose();
        this.levelChanged.dispose();
        this.channel?.dispose();
    }

    /** Created on the first write, so that there is no empty output channel without a trace. */
    private open(): vscode.OutputChannel {
        this.channel ??= vscode.window.createOutputChannel(this.name);
        return this.channel;
    }
}
