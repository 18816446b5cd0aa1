/**
 * *Lift: Tune Kernel*: a search on the device, with its progress, then a table of what was tried.
 *
 * The table is a webview like that of a run: one script, one style sheet, plain data.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';

import { explain } from './errors';
import { page } from './panel';
import { COMMAND, type Target, type Tuning } from './protocol';
import { mayRun } from './run';
import type { LiftServer } from './server';
import { tuningTable, type TuningTable } from './shown';
import { chooseKernel, columnBeside, type Programs } from './target';

const VIEW_TYPE = 'lift.tuning';

/** Optional fields of a request besides its target. */
interface Wishes {
    sizes?: Record<string, number>;
    /** Seconds. */
    budget?: number;
}

export class Tuner implements vscode.Disposable {
    private readonly open = new Map<string, { panel: vscode.WebviewPanel; shown: TuningTable }>();

    constructor(
        private readonly server: LiftServer,
        private readonly programs: Programs,
        private readonly extension: vscode.Uri,
    ) {}

    /** `named` is a {@link Target} when a lens or a link starts this; else anything. */
    async tune(named: unknown): Promise<void> {
        if (!(await mayRun())) return;
        const chosen = this.programs.choose(named);
        if (chosen === undefined) return;
        try {
            const kernel = await chooseKernel(this.server, chosen);
            if (kernel === undefined) return;
            const target: Target = { uri: chosen.source.toString(), kernel: kernel.name };
            const found = await this.search(chosen.source, { ...wishesOf(named), ...target });
            this.show(tuningTable(found, target.uri, path.posix.basename(chosen.source.path)), chosen.source);
        } catch (error) {
            explain(this.server.output, 'The kernel was not tuned', error);
        }
    }

    dispose(): void {
        this.open.forEach(({ panel }) => void panel.dispose());
    }

    private search(source: vscode.Uri, target: Target & Wishes): Thenable<Tuning> {
        const device = vscode.workspace.getConfiguration('lift', source).get<string>('device', 'auto');
        const request = { ...target, ...(device.startsWith('opencl') && { device }) };
        return vscode.window.withProgress(
            { location: vscode.ProgressLocation.Notification, title: `Tuning ${target.kernel}`, cancellable: true },
            (shown, token) =>
                this.server.execute<Tuning>(COMMAND.tuneKernel, [request], {
                    token,
                    onProgress: ({ message }) => shown.report({ ...(message !== undefined && { message }) }),
                }),
        );
    }

    private show(shown: TuningTable, source: vscode.Uri): void {
        const key = `${shown.source}#${shown.kernel}`;
        const known = this.open.get(key);
        if (known !== undefined) {
            known.shown = shown;
            known.panel.reveal(undefined, true);
            void known.panel.webview.postMessage(shown);
            return;
        }
        const column = { viewColumn: columnBeside(source), preserveFocus: true };
        const panel = vscode.window.createWebviewPanel(VIEW_TYPE, `${shown.kernel}: tuning`, column, {});
        this.open.set(key, { panel, shown });
        panel.onDidDispose(() => this.open.delete(key));
        panel.webview.onDidReceiveMessage((message: { type?: unknown } | null) => {
            const entry = this.open.get(key);
            if (entry !== undefined) this.hear(message?.type, entry.panel, entry.shown);
        });
        const out = vscode.Uri.joinPath(this.extension, 'out');
        const media = vscode.Uri.joinPath(this.extension, 'media');
        panel.webview.options = { enableScripts: true, localResourceRoots: [out, media] };
        panel.iconPath = vscode.Uri.joinPath(this.extension, 'images', 'lift.png');
        panel.webview.html = page(panel.webview, out, media, 'tuning.js');
    }

    private hear(said: unknown, panel: vscode.WebviewPanel, shown: TuningTable): void {
        const target = { uri: shown.source, kernel: shown.kernel };
        if (said === 'ready') void panel.webview.postMessage(shown);
        if (said === 'again') void this.tune(target);
        if ((said === 'write' || said === 'copy') && shown.best !== null) {
            const request = { ...target, choice: shown.best, copy: said === 'copy' };
            this.server.execute(COMMAND.writeTuned, [request]).catch((error: unknown) => {
                explain(this.server.output, 'The program was not changed', error);
            });
        }
    }
}

function wishesOf(named: unknown): Wishes {
    const { sizes, budget } = (named ?? {}) as Wishes;
    return { ...(sizes !== undefined && { sizes }), ...(budget !== undefined && { budget }) };
}
