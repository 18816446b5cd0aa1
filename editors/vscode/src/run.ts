/** *Lift: Run Kernel*: asks what is not known, runs on the server, shows the result beside. */
import * as path from 'node:path';
import * as vscode from 'vscode';

import { askProposal, askValues, type Proposal } from './ask';
import type { Results } from './documents';
import { explain, isCancellation, messageOf, reasonsOf } from './errors';
import {
    describeValues,
    needsSizes,
    proposeValues,
    resolveInput,
    signatureOf,
    toRunAtOnce,
    type Remembered,
} from './inputs';
import { Panels } from './panel';
import { COMMAND, type Kernel, type RunRequest, type RunResult, type RunValues } from './protocol';
import { noticesOf, outputEntry, resultDocument, toShow, type Run } from './report';
import type { LiftServer } from './server';
import type { Shown } from './shown';
import { chooseKernel, columnBeside, type Programs } from './target';

/** Whether the workspace is trusted; if not, shows a message. */
export async function mayRun(): Promise<boolean> {
    if (vscode.workspace.isTrusted) return true;
    const manage = 'Manage Trust';
    const message = 'Kernels run on your device only in a workspace that you trust.';
    if ((await vscode.window.showWarningMessage(message, manage)) === manage) {
        await vscode.commands.executeCommand('workbench.trust.manage');
    }
    return false;
}

export class Runner implements vscode.Disposable {
    private readonly output = vscode.window.createOutputChannel('Lift: Run');
    /** Notices that were already shown as notifications; after that, they are only in the report. */
    private readonly noticed = new Set<string>();

    private readonly panels: Panels;
    /** The last run of each kernel, for its result as text; by address and name. */
    private readonly runs = new Map<string, Run>();

    constructor(
        private readonly server: LiftServer,
        private readonly results: Results,
        private readonly programs: Programs,
        private readonly memory: vscode.Memento,
        extension: vscode.Uri,
    ) {
        this.panels = new Panels(extension, {
            run: ({ source, kernel }, others) => void this.run({ uri: source, kernel }, others),
            text: (shown) => void this.showText(shown),
        });
    }

    /**
     * Runs a kernel: on what the request says, else on what it ran on the last time, else on what the
     * program says; what is not known then is asked. `others`: everything is asked.
     *
     * `named` is a `RunRequest` when a lens, a code action or a link starts this; else anything. Returns the result, if the
     * kernel ran.
     */
    async run(named: unknown, others = false): Promise<RunResult | undefined> {
        if (!(await mayRun())) return undefined;
        const chosen = this.programs.choose(named);
        if (chosen === undefined) {
            void vscode.window.showInformationMessage('Open a Lift program first: a file named *.lift.');
            return undefined;
        }
        const { source } = chosen;
        try {
            const kernel = await chooseKernel(this.server, chosen);
            if (kernel === undefined) return undefined;
            const values = givenValues(named) ?? (await this.valuesFor(source, kernel, others));
            if (values === undefined) return undefined;
            const result = await this.execute(source, kernel, values).then(
                (result) => this.remember(source, kernel, values, false).then(() => result),
                async (error: unknown) => {
                    if (!isCancellation(error)) await this.remember(source, kernel, values, true);
                    throw error;
                },
            );
            this.report(source, {
                source: source.toString(),
                program: path.posix.basename(source.path),
                values: describeValues(values),
                result,
                time: new Date(),
            });
            return result;
        } catch (error) {
            const said = isCancellation(error) ? 'The run was cancelled.' : messageOf(error);
            const lines = [`[${new Date().toLocaleTimeString()}] ${said}`, ...reasonsOf(error)];
            this.output.appendLine(lines.join('\n  '));
            explain(this.server.output, 'The kernel did not run', error);
            return undefined;
        }
    }

    dispose(): void {
        this.panels.dispose();
        this.output.dispose();
    }

    /** The whole result of the last run of the kernel at hand, as text. */
    async showLast(): Promise<void> {
        const chosen = this.programs.choose(undefined);
        const of = [...this.runs.values()].filter((run) => run.source === chosen?.source.toString());
        const run = of.find((run) => run.result.kernel === chosen?.kernel) ?? of.at(-1);
        if (run === undefined) {
            void vscode.window.showInformationMessage('No kernel of this program has run yet.');
            return;
        }
        await this.showText({ source: run.source, kernel: run.result.kernel });
    }

    private async showText({ source, kernel }: Pick<Shown, 'source' | 'kernel'>): Promise<void> {
        const run = this.runs.get(`${source}#${kernel}`);
        if (run === undefined) {
            // The panel is from an earlier session.
            void vscode.window.showInformationMessage(`${kernel} has not run in this session: run it again.`);
            return;
        }
        await this.results.show({ source: vscode.Uri.parse(source, true), kernel }, resultDocument(run));
    }

    /** Asks for the values of a run and remembers them. */
    private async valuesFor(
        source: vscode.Uri,
        kernel: Kernel,
        others: boolean,
    ): Promise<RunValues | undefined> {
        const first = proposeValues(kernel);
        if (kernel.inputs.length === 0 && !needsSizes(kernel, [])) return first;
        const remembered = this.memory.get<Remembered>(memoryKey(source, kernel));
        const last = remembered?.signature === signatureOf(kernel) ? remembered.values : undefined;
        const atOnce = others ? undefined : toRunAtOnce(kernel, remembered);
        if (atOnce !== undefined) return atOnce;

        const proposals: Proposal[] = [];
        if (last !== undefined) proposals.push({ origin: 'As last time', values: last });
        const own = kernel.defaultRun;
        if (own !== undefined && (last === undefined || describeValues(own) !== describeValues(last))) {
            proposals.push({ origin: 'As the program says in its line ;;; run:', values: own });
        }
        const chosen = proposals.length === 0 ? 'others' : await askProposal(kernel, proposals);
        const folder = source.scheme === 'file' ? vscode.Uri.joinPath(source, '..') : undefined;
        return chosen === 'others' ? askValues(kernel, last ?? first, folder) : chosen;
    }

    /** Saves the values of a run. */
    private async remember(source: vscode.Uri, kernel: Kernel, values: RunValues, failed: boolean): Promise<void> {
        const line = JSON.stringify(kernel.defaultRun ?? null);
        const kept: Remembered = { signature: signatureOf(kernel), line, values, failed };
        await this.memory.update(memoryKey(source, kernel), kept);
    }

    private async execute(source: vscode.Uri, kernel: Kernel, values: RunValues): Promise<RunResult> {
        const folder =
            source.scheme === 'file'
                ? path.dirname(source.fsPath)
                : (vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd());
        const device = vscode.workspace.getConfiguration('lift', source).get<string>('device', 'auto');
        const request: RunRequest = {
            uri: source.toString(),
            kernel: kernel.name,
            inputs: values.inputs.map((input) => resolveInput(input, folder)),
            sizes: values.sizes,
            ...(device !== 'auto' && { device }),
        };
        return vscode.window.withProgress(
            {
                location: vscode.ProgressLocation.Notification,
                title: `Running ${kernel.name}`,
                cancellable: true,
            },
            (shown, token) => {
                let before = 0;
                return this.server.execute<RunResult>(COMMAND.runKernel, [request], {
                    token,
                    onProgress: ({ message, percentage }) => {
                        const increment = percentage === undefined ? undefined : percentage - before;
                        before = percentage ?? before;
                        shown.report({
                            ...(message !== undefined && { message }),
                            ...(increment !== undefined && { increment }),
                        });
                    },
                });
            },
        );
    }

    private report(source: vscode.Uri, run: Run): void {
        this.output.appendLine(outputEntry(run));
        this.runs.delete(`${run.source}#${run.result.kernel}`); // The newest is the last.
        this.runs.set(`${run.source}#${run.result.kernel}`, run);
        for (const notice of noticesOf(run.result).filter((notice) => !this.noticed.has(notice))) {
            this.noticed.add(notice);
            void vscode.window.showInformationMessage(notice.charAt(0).toUpperCase() + notice.slice(1));
        }
        this.panels.show(toShow(run), columnBeside(source));
    }
}

function memoryKey(source: vscode.Uri, kernel: Kernel): string {
    return `run ${source.toString()}#${kernel.name}`;
}

/** Values in the request itself, which need no question. */
function givenValues(named: unknown): RunValues | undefined {
    const request = named as Partial<RunRequest> | undefined;
    if (!Array.isArray(request?.inputs)) return undefined;
    return { inputs: request.inputs.map(String), sizes: request.sizes ?? {} };
}
