/**
 * *Pin* and *Compare*: an earlier version of a program beside the one that is edited.
 *
 * A pinned program is a read-only document `lift-pinned:/FOLDER/NAME.lift` with the text of the moment. The server takes
 * it for a program in the same folder, so everything works in it, also the way between it and its generated code.
 */
import * as vscode from 'vscode';

import { comparisonText } from './comparison';
import type { Results } from './documents';
import { explain } from './errors';
import { COMMAND, type CompareRequest, type Comparison, type Generated, type Kernel, type Target } from './protocol';
import type { LiftServer } from './server';
import { chooseKernel, type Programs } from './target';

export const PINNED_SCHEME = 'lift-pinned';

export class Comparer implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable {
    private readonly pinned = new Map<string, string>();
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    private readonly lensesChanged = new vscode.EventEmitter<void>();
    readonly onDidChange = this.changed.event;
    readonly onDidChangeCodeLenses = this.lensesChanged.event;
    private readonly registrations: vscode.Disposable;

    constructor(
        private readonly server: LiftServer,
        private readonly programs: Programs,
        private readonly results: Results,
    ) {
        this.registrations = vscode.Disposable.from(
            vscode.workspace.registerTextDocumentContentProvider(PINNED_SCHEME, this),
            vscode.languages.registerCodeLensProvider({ language: 'lift', scheme: 'file' }, this),
        );
    }

    provideTextDocumentContent(uri: vscode.Uri): string {
        return this.pinned.get(uri.toString()) ?? '; Pinned in an earlier session.\n';
    }

    async provideCodeLenses({ uri }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
        const kernels = await this.server
            .execute<Kernel[]>(COMMAND.kernels, [{ uri: uri.toString() }])
            .catch((): Kernel[] => []);
        const isPinned = this.pinned.has(pinnedOf(uri).toString());
        return kernels.flatMap(({ name, range: { start } }) => {
            const range = new vscode.Range(start.line, start.character, start.line, start.character);
            const target: Target = { uri: uri.toString(), kernel: name };
            const lens = (title: string, command: string): vscode.CodeLens =>
                new vscode.CodeLens(range, { title, command, arguments: [target] });
            const pin = lens(isPinned ? 'Pin Again' : 'Pin', 'lift.pin');
            return isPinned ? [pin, lens('Compare with Pinned', 'lift.compare')] : [pin];
        });
    }

    /** Pins the current text of the program. */
    async pin(named: unknown): Promise<void> {
        const chosen = this.programs.choose(named);
        if (chosen === undefined) return;
        const document = await vscode.workspace.openTextDocument(chosen.source);
        const uri = pinnedOf(chosen.source);
        this.pinned.set(uri.toString(), document.getText());
        this.changed.fire(uri);
        this.lensesChanged.fire();
        void vscode.window.setStatusBarMessage(`${document.fileName} is pinned`, 3000);
    }

    /** Compares a kernel with the same one of the pinned program, or else with another kernel of the program. */
    async compare(named: unknown): Promise<void> {
        const chosen = this.programs.choose(named);
        if (chosen === undefined) return;
        try {
            const kernel = await chooseKernel(this.server, chosen);
            const old = kernel && (await this.chooseOld(chosen.source, kernel));
            if (kernel === undefined || old === undefined) return;
            const now: Target = { uri: chosen.source.toString(), kernel: kernel.name };
            const found = await this.run({ ...now, old });
            await this.showCode(old, now);
            await this.results.show({ source: chosen.source, kernel: `${kernel.name} compared` }, comparisonText(found));
        } catch (error) {
            explain(this.server.output, 'The kernels were not compared', error);
        }
    }

    dispose(): void {
        this.registrations.dispose();
        this.changed.dispose();
        this.lensesChanged.dispose();
    }

    private async chooseOld(source: vscode.Uri, kernel: Kernel): Promise<Target | undefined> {
        const uri = pinnedOf(source);
        if (this.pinned.has(uri.toString())) {
            await vscode.workspace.openTextDocument(uri);
            return { uri: uri.toString(), kernel: kernel.name };
        }
        const all = await this.server.execute<Kernel[]>(COMMAND.kernels, [{ uri: source.toString() }]);
        const others = all.map(({ name }) => name).filter((name) => name !== kernel.name);
        if (others.length === 0) throw new Error('Nothing is pinned: *Pin* keeps the program as it is, to compare with.');
        const picked = await vscode.window.showQuickPick(others, { title: `Compare ${kernel.name} with` });
        return picked === undefined ? undefined : { uri: source.toString(), kernel: picked };
    }

    private async run(request: CompareRequest): Promise<Comparison> {
        const device = vscode.workspace.getConfiguration('lift').get<string>('device', 'auto');
        const asked: CompareRequest = { ...request, ...(device !== 'auto' && { device }) };
        return vscode.window.withProgress(
            { location: vscode.ProgressLocation.Notification, title: `Comparing ${request.kernel}`, cancellable: true },
            (_, token) => this.server.execute<Comparison>(COMMAND.compareKernels, [asked], { token }),
        );
    }

    /** The generated code of both, each side linked to its program. */
    private async showCode(old: Target, now: Target): Promise<void> {
        const generated = (of: Target): Promise<Generated> => this.server.execute<Generated>(COMMAND.generateOpenCL, [of]);
        const [left, right] = [await generated(old), await generated(now)];
        await vscode.commands.executeCommand(
            'vscode.diff',
            vscode.Uri.parse(left.uri, true),
            vscode.Uri.parse(right.uri, true),
            `${left.kernel} ↔ ${right.kernel}: generated code`,
            { preview: false },
        );
    }
}

/** The URI of the pinned version of a program. */
function pinnedOf(source: vscode.Uri): vscode.Uri {
    return vscode.Uri.from({ scheme: PINNED_SCHEME, path: source.path });
}
