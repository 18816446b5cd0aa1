/** *Lift: Show Setup* and *Lift: Choose Device*: the version and path of the server, and the devices. */
import * as vscode from 'vscode';

import { explain } from './errors';
import { HINT_KINDS } from './hints';
import { COMMAND, type Device, type Setup } from './protocol';
import type { LiftServer } from './server';
import { describeSetup, deviceLabel } from './health';

const SETUP_SCHEME = 'lift-setup';
const SETUP_URI = vscode.Uri.from({ scheme: SETUP_SCHEME, path: '/Lift Setup.md' });

export class SetupView implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    readonly onDidChange = this.changed.event;
    private readonly devicesChanged = new vscode.EventEmitter<void>();
    /** Fires when the device on which kernels run is known or has changed. */
    readonly onDidChangeDevice = this.devicesChanged.event;
    private readonly watching: vscode.Disposable;
    private setup: Setup | undefined;
    private text = '';

    constructor(
        private readonly server: LiftServer,
        private readonly version: string,
    ) {
        this.watching = vscode.Disposable.from(
            vscode.workspace.registerTextDocumentContentProvider(SETUP_SCHEME, this),
            // Listing the devices starts the drivers, so it is not done in an untrusted workspace.
            server.onDidChangeState(({ kind }) => {
                if (kind === 'running' && vscode.workspace.isTrusted) void this.ask().catch(() => undefined);
            }),
            vscode.workspace.onDidChangeConfiguration((e) => {
                if (e.affectsConfiguration('lift.device')) this.devicesChanged.fire();
            }),
        );
    }

    provideTextDocumentContent(): string {
        return this.text;
    }

    /** Where a kernel runs now, in a few words; undefined until that is known. */
    device(): string | undefined {
        const wish = vscode.workspace.getConfiguration('lift').get<string>('device', 'auto');
        return this.setup && deviceLabel(this.setup, wish);
    }

    async show(): Promise<void> {
        try {
            const state = this.server.state;
            const setup =
                state.kind === 'running'
                    ? await vscode.window.withProgress(
                          { location: vscode.ProgressLocation.Window, title: 'Lift: asking the devices' },
                          () => this.ask(),
                      )
                    : undefined;
            this.text = describeSetup({
                extension: this.version,
                editor: `${vscode.env.appName} ${vscode.version}`,
                trusted: vscode.workspace.isTrusted,
                folders: (vscode.workspace.workspaceFolders ?? []).map((f) => f.uri.fsPath),
                place: state.kind === 'running' ? state.server.place : undefined,
                problem: state.kind === 'failed' ? state.why : undefined,
                settings: changedSettings(),
                setup,
            });
            this.changed.fire(SETUP_URI);
            await vscode.commands.executeCommand('markdown.showPreview', SETUP_URI);
        } catch (error) {
            explain(this.server.output, 'No setup', error);
        }
    }

    async chooseDevice(): Promise<void> {
        try {
            const setup = await vscode.window.withProgress(
                { location: vscode.ProgressLocation.Window, title: 'Lift: asking the devices' },
                () => this.ask(),
            );
            const settings = vscode.workspace.getConfiguration('lift');
            const now = settings.get<string>('device', 'auto');
            const items = [
                { device: 'auto', label: 'auto', detail: 'An OpenCL device, or the interpreter where there is none' },
                ...setup.devices.map(itemOf),
            ].map((item) => ({ ...item, ...(item.device === now && { description: 'chosen' }) }));
            const picked = await vscode.window.showQuickPick(items, {
                title: 'Where Lift runs kernels',
                placeHolder: setup.problem ?? 'Device',
            });
            if (picked === undefined) return;
            const local = settings.inspect<string>('device')?.workspaceValue !== undefined;
            await settings.update('device', picked.device, !local);
        } catch (error) {
            explain(this.server.output, 'No devices', error);
        }
    }

    dispose(): void {
        this.watching.dispose();
        this.changed.dispose();
        this.devicesChanged.dispose();
    }

    private async ask(): Promise<Setup> {
        this.setup = await this.server.execute<Setup>(COMMAND.setup, []);
        this.devicesChanged.fire();
        return this.setup;
    }
}

function itemOf({ device, info }: Device): { device: string; label: string; detail: string } {
    const detail =
        info === undefined
            ? 'The meaning of programs, element by element: slow, and always there'
            : `${info.name} (${info.kind}, ${info.platform})`;
    return { device, label: device, detail };
}

/** The settings of the extension that differ from their defaults. */
function changedSettings(): [string, unknown][] {
    const settings = vscode.workspace.getConfiguration('lift');
    const names = [
        'server.path',
        'server.extraArgs',
        'device',
        'run.timeLimit',
        'run.memoryLimit',
        'run.repeats',
        ...HINT_KINDS.map((kind) => `inlayHints.${kind}`),
        'inlayHints.runTimes',
        'generated.target',
        'generated.syncCursor',
        'generated.syncHover',
        'trace.server',
    ];
    return names.flatMap((name) => {
        const { defaultValue } = settings.inspect<unknown>(name) ?? {};
        const value = settings.get<unknown>(name);
        const changed = JSON.stringify(value) !== JSON.stringify(defaultValue);
        return changed ? [[`lift.${name}`, value] as [string, unknown]] : [];
    });
}
