/** *Lift: Run Kernel*: asks what is not known, runs on the server, shows the result beside. */
import * as path from 'node:path';
import * as vscode from 'vscode';

import { askProposal, askValues, type Proposal } from './ask';
import { RESULT_SCHEME, type ComputedDocuments } from './documents';
import { explain, isCancellation, messageOf, reasonsOf } from './errors';
import { describeValues, needsSizes, proposeValues, resolveInput, signatureOf } from './inputs';
import { COMMAND, type Kernel, type RunRequest, type RunResult, type RunValues } from './protocol';
import { noticesOf, outputEntry, resultDocument, type Run } from './report';
import type { LiftServer } from './server';
import { chooseKernel, type Programs } from './target';

/** The values of the last run of a kernel, kept with the workspace. */
interface Remembered {
    signature: string;
    values: RunValues;
}

export class Runner implements vscode.Disposable {
    private readonly output = vscode.window.createOutputChannel('Lift: Run');
    /** Notices that were shown: each is worth interrupting for once, then stands in the report. */
    private readonly noticed = new Set<string>();

    constructor(
        private readonly server: LiftServer,
        private readonly documents: ComputedDocuments,
        private readonly programs: Programs,
        private readonly memory: vscode.Memento,
    ) {}

    /** `named` is a `RunRequest` when a lens, a code action or a link starts this; else anything. */
    async run(named: unknown): Promise<void> {
        if (!vscode.workspace.isTrusted) {
            const manage = 'Manage Trust';
            const message = 'Kernels run on your device only in a workspace that you trust.';
            if ((await vscode.window.showWarningMessage(message, manage)) === manage) {
                await vscode.commands.executeCommand('workbench.trust.manage');
            }
            return;
        }
        const chosen = this.programs.choose(named);
        if (chosen === undefined) {
            void vscode.window.showInformationMessage('Open a Lift program first: a file named *.lift.');
            return;
        }
        const { source } = chosen;
        try {
            const kernel = await chooseKernel(this.server, chosen);
            if (kernel === undefined) return;
            const values = givenValues(named) ?? (await this.valuesFor(source, kernel));
            if (values === undefined) return;
            const result = await this.execute(source, kernel, values);
            await this.report(source, {
                program: path.posix.basename(source.path),
                values: describeValues(values),
                result,
            });
        } catch (error) {
            const said = isCancellation(error) ? 'The run was cancelled.' : messageOf(error);
            const lines = [`[${new Date().toLocaleTimeString()}] ${said}`, ...reasonsOf(error)];
            this.output.appendLine(lines.join('\n  '));
            explain(this.server.output, 'The kernel did not run', error);
        }
    }

    dispose(): void {
        this.output.dispose();
    }

    /** What a person wants the kernel to be run on; remembered for the next time. */
    private async valuesFor(source: vscode.Uri, kernel: Kernel): Promise<RunValues | undefined> {
        const first = proposeValues(kernel);
        if (kernel.inputs.length === 0 && !needsSizes(kernel, [])) return first;
        const key = `run ${source.toString()}#${kernel.name}`;
        const signature = signatureOf(kernel);
        const remembered = this.memory.get<Remembered>(key);
        const last = remembered?.signature === signature ? remembered.values : undefined;

        const proposals: Proposal[] = [];
        if (last !== undefined) proposals.push({ origin: 'As last time', values: last });
        const own = kernel.defaultRun;
        if (own !== undefined && (last === undefined || describeValues(own) !== describeValues(last))) {
            proposals.push({ origin: 'As the program says in its line ;;; run:', values: own });
        }
        const chosen = proposals.length === 0 ? 'others' : await askProposal(kernel, proposals);
        const folder = source.scheme === 'file' ? vscode.Uri.joinPath(source, '..') : undefined;
        const values = chosen === 'others' ? await askValues(kernel, last ?? first, folder) : chosen;
        if (values !== undefined) {
            await this.memory.update(key, { signature, values } satisfies Remembered);
        }
        return values;
    }

    private execute(source: vscode.Uri, kernel: Kernel, values: RunValues): Thenable<RunResult> {
        const folder =
            source.scheme === 'file'
                ? path.dirname(source.fsPath)
                : (vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd());
        const device = vscode.workspace.getConfiguration('lift').get<string>('device', 'auto');
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

    private async report(source: vscode.Uri, run: Run): Promise<void> {
        const { kernel } = run.result;
        this.output.appendLine(outputEntry(run, new Date()));
        for (const notice of noticesOf(run.result).filter((notice) => !this.noticed.has(notice))) {
            this.noticed.add(notice);
            void vscode.window.showInformationMessage(notice.charAt(0).toUpperCase() + notice.slice(1));
        }
        const uri = vscode.Uri.from({
            scheme: RESULT_SCHEME,
            path: `/${kernel}.result`,
            query: source.toString(),
        });
        await this.documents.show(uri, resultDocument(run), { source, kernel }, 'lift-result');
    }
}

/** Values that came with the request itself: nothing is asked then. */
function givenValues(named: unknown): RunValues | undefined {
    const request = named as Partial<RunRequest> | undefined;
    if (!Array.isArray(request?.inputs)) return undefined;
    return { inputs: request.inputs.map(String), sizes: request.sizes ?? {} };
}
