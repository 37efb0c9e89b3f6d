// C++ names of real programs and small examples, with the output of c++filt (binutils 2.40). If c++filt omits
// the blank between closing brackets after an empty pack, it is added.

export const CPP_NAMES: readonly (readonly [mangled: string, text: string])[] = [
  [
    '_ZSt16is_convertible_vIRKZ4mainEUliE5_S2_E',
    'std::is_convertible_v<main::{lambda(int)#7} const&, main::{lambda(int)#7} const&>',
  ],
  [
    '_ZSt9is_same_vIRKNSt6ranges11filter_viewINS0_8ref_viewISt6vectorIiSaIiEEEEZ4mainEUliE4_E9_IteratorESB_E',
    'std::is_same_v<std::ranges::filter_view<std::ranges::ref_view<std::vector<int, std::allocator<int> > >, main::{lambda(int)#6}>::_Iterator const&, std::ranges::filter_view<std::ranges::ref_view<std::vector<int, std::allocator<int> > >, main::{lambda(int)#6}>::_Iterator const&>',
  ],
  [
    '_ZN5clang13SelectorTable33getPropertyNameFromSetterSelectorB5cxx11ENS_8SelectorE',
    'clang::SelectorTable::getPropertyNameFromSetterSelector[abi:cxx11](clang::Selector)',
  ],
  [
    '_ZN4llvm12hash_combineIJjPNS_8MDStringEPNS_8MetadataEbS4_EEENS_9hash_codeEDpRKT_',
    'llvm::hash_code llvm::hash_combine<unsigned int, llvm::MDString*, llvm::Metadata*, bool, llvm::Metadata*>(unsigned int const&, llvm::MDString* const&, llvm::Metadata* const&, bool const&, llvm::Metadata* const&)',
  ],
  [
    '_ZN4node27UnconditionalAsyncWrapDebugIJRlRmEEEvPNS_9AsyncWrapEPKcDpOT_',
    'void node::UnconditionalAsyncWrapDebug<long&, unsigned long&>(node::AsyncWrap*, char const*, long&, unsigned long&)',
  ],
  [
    '_ZThn512_N2v88internal7CppHeap28AllocatedObjectSizeIncreasedEm',
    'non-virtual thunk to v8::internal::CppHeap::AllocatedObjectSizeIncreased(unsigned long)',
  ],
  [
    '_ZTv0_n24_NSt13basic_istreamIwSt11char_traitsIwEED0Ev',
    'virtual thunk to std::basic_istream<wchar_t, std::char_traits<wchar_t> >::~basic_istream()',
  ],
  [
    '_ZGVZN12v8_inspector8protocol12HeapProfiler12_GLOBAL__N_115SortedRedirectsEvE9redirects',
    'guard variable for v8_inspector::protocol::HeapProfiler::(anonymous namespace)::SortedRedirects()::redirects',
  ],
  ['_ZTV8PktCBObjI12PtmTrcPacketE', 'vtable for PktCBObj<PtmTrcPacket>'],
  ['_ZTIPDd', 'typeinfo for decimal64*'],
  [
    '_ZTSN4llvm6detail9PassModelINS_6ModuleENS_17AlwaysInlinerPassENS_17PreservedAnalysesENS_15AnalysisManagerIS2_JEEEJEEE',
    'typeinfo name for llvm::detail::PassModel<llvm::Module, llvm::AlwaysInlinerPass, llvm::PreservedAnalyses, llvm::AnalysisManager<llvm::Module> >',
  ],
  ['_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE', 'VTT for std::basic_ifstream<char, std::char_traits<char> >'],
  [
    '_ZTCN2v84base18CheckMessageStreamE0_NSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEE',
    'construction vtable for std::__cxx11::basic_ostringstream<char, std::char_traits<char>, std::allocator<char> >-in-v8::base::CheckMessageStream',
  ],
  ['_ZTW3tlsB5cxx11', 'TLS wrapper function for tls[abi:cxx11]'],
  [
    '_ZN2v88internal12BinarySearchILNS0_10SearchModeE1ENS0_15DescriptorArrayEEEiPT0_NS0_4NameEiPi.isra.0',
    'int v8::internal::BinarySearch<(v8::internal::SearchMode)1, v8::internal::DescriptorArray>(v8::internal::DescriptorArray*, v8::internal::Name, int, int*) [clone .isra.0]',
  ],
  [
    '_ZN2v88internal8compiler13JSCallReducer15ReduceBigIntAsNEPNS1_4NodeENS0_7BuiltinE.part.0',
    'v8::internal::compiler::JSCallReducer::ReduceBigIntAsN(v8::internal::compiler::Node*, v8::internal::Builtin) [clone .part.0]',
  ],
  [
    '_ZNK2v88internal8compiler15LoadElimination12AbstractMaps4KillERKNS2_14AliasStateInfoEPNS0_4ZoneE.cold',
    'v8::internal::compiler::LoadElimination::AbstractMaps::Kill(v8::internal::compiler::LoadElimination::AliasStateInfo const&, v8::internal::Zone*) const [clone .cold]',
  ],
  [
    '_ZN7WelsDec22UpdateP16x8RefIdxCabacEPNS_10TagDqLayerEPA30_aiaa',
    'WelsDec::UpdateP16x8RefIdxCabac(WelsDec::TagDqLayer*, signed char (*) [30], int, signed char, signed char)',
  ],
  [
    '_ZZN12v8_inspector8protocol8Debugger12_GLOBAL__N_125setBlackboxedRangesParams23deserializer_descriptorEvE6fields',
    'v8_inspector::protocol::Debugger::(anonymous namespace)::setBlackboxedRangesParams::deserializer_descriptor()::fields',
  ],
  [
    '_ZTSN5clang5arcmt5trans27GCCollectableCallsTraverserE',
    'typeinfo name for clang::arcmt::trans::GCCollectableCallsTraverser',
  ],
  ['_ZnwmPv', 'operator new(unsigned long, void*)'],
  ['_Zli3_kme', 'operator"" _km(long double)'],
  ['_ZN5polly11ScopBuilder11buildDomainERNS_8ScopStmtE', 'polly::ScopBuilder::buildDomain(polly::ScopStmt&)'],
  [
    '_ZN4llvm10checkedMulIlEENSt9enable_ifIXsr3std9is_signedIT_EE5valueENS_8OptionalIS2_EEE4typeES2_S2_',
    'std::enable_if<std::is_signed<long>::value, llvm::Optional<long> >::type llvm::checkedMul<long>(long, long)',
  ],
  [
    '_Z10multiple_pILj1EljEN10if_nonpolyIT1_bXsr15poly_int_traitsIS1_E7is_polyEE4typeERK12poly_int_podIXT_ET0_ES1_',
    'if_nonpoly<unsigned int, bool, poly_int_traits<unsigned int>::is_poly>::type multiple_p<1u, long, unsigned int>(poly_int_pod<1u, long> const&, unsigned int)',
  ],
  [
    '_ZGRZN7simdutf8internalL37get_available_implementation_pointersEvE33available_implementation_pointers_',
    'reference temporary #0 for simdutf::internal::get_available_implementation_pointers()::available_implementation_pointers',
  ],
  [
    '_ZN2v88internal8compiler26MachineOperatorGlobalCache28UnalignedLoadSimd128OperatorD0Ev',
    'v8::internal::compiler::MachineOperatorGlobalCache::UnalignedLoadSimd128Operator::~UnalignedLoadSimd128Operator()',
  ],
  ['_ZN6icu_7813AndConstraintC1ERKS0_', 'icu_78::AndConstraint::AndConstraint(icu_78::AndConstraint const&)'],
  [
    '_Z4i128noDuDsDiDnPDF16_e',
    'i128(__int128, unsigned __int128, char8_t, char16_t, char32_t, decltype(nullptr), _Float16*, long double)',
  ],
  ['_Z3vecDv4_f', 'vec(float __vector(4))'],
  ['_Z6retfp2IdEPFvT_ES0_', 'void (*retfp2<double>(double))(double)'],
  [
    '_ZN2v88internal12_GLOBAL__N_120ImplicationProcessor19EnforceImplicationsEv',
    'v8::internal::(anonymous namespace)::ImplicationProcessor::EnforceImplications()',
  ],
  ['_Z2enILN2v11EE0EEvv', 'void en<(v1::E)0>()'],
  ['_Z4condIiEDTqufp_sclfp_ngfp_ET_', 'decltype ({parm#1}?(static_cast<long>({parm#1})) : (-{parm#1})) cond<int>(int)'],
  ['_Z4foldP9tree_node', 'fold(tree_node*)'],
  ['_Z3memI1SEDTcmptfp_1mclptfp_1fEEPT_', 'decltype (({parm#1}->m),(({parm#1}->f)())) mem<S>(S*)'],
  ['_Z3bigIiEDTplfp_Li1EET_', 'decltype ({parm#1}+(1)) big<int>(int)'],
  ['_Z3cntIJicEESt17integral_constantIiXsZT_EEDpT_', 'std::integral_constant<int, 2> cnt<int, char>(int, char)'],
  [
    '_ZNK4llvm6detail13DoubleAPFloat7compareERKS1_',
    'llvm::detail::DoubleAPFloat::compare(llvm::detail::DoubleAPFloat const&) const',
  ],
  [
    '_ZN12v8_inspector9V8Console4callIXadL_ZNS0_10createTaskERKN2v820FunctionCallbackInfoINS2_5ValueEEEEEEEvS7_',
    'void v8_inspector::V8Console::call<&v8_inspector::V8Console::createTask>(v8::FunctionCallbackInfo<v8::Value> const&)',
  ],
  ['_Z2ddILd3ff8000000000000EEvv', 'void dd<(double)[3ff8000000000000]>()'],
  ['_Z4litsIXtl4LitSLi1ELd4004000000000000EEEEvv', 'void lits<LitS{1, (double)[4004000000000000]}>()'],
  ['_Z2ttISt6vectoriEvT_IJT0_EE', 'void tt<std::vector, int>(std::vector<int>)'],
  ['_Z3arrIiLm3EEPAT0__T_RS1_', 'int (*arr<int, 3ul>(int (&) [3ul])) [3ul]'],
  ['_Z2rtB3barB3foov', 'rt[abi:bar][abi:foo]()'],
  [
    '_ZSt22__merge_without_bufferIPN5clang6format17JsModuleReferenceElN9__gnu_cxx5__ops15_Iter_less_iterEEvT_S7_S7_T0_S8_T1_',
    'void std::__merge_without_buffer<clang::format::JsModuleReference*, long, __gnu_cxx::__ops::_Iter_less_iter>(clang::format::JsModuleReference*, clang::format::JsModuleReference*, clang::format::JsModuleReference*, long, long, __gnu_cxx::__ops::_Iter_less_iter)',
  ],
  ['_Z2nwIiEDTnw_T_pifp_EES0_', 'decltype (new int({parm#1})) nw<int>(int)'],
  ['_ZNK1ScvT_IiEEv', 'S::operator int<int>() const'],
  ['_ZN1ScvPT_IiEEv', 'S::operator int*<int>()'],
  ['_Z4memfIXadL_ZNKR1S1fEvEEEvv', 'void memf<&(S::f() const &)>()'],
  [
    '_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_',
    'std::basic_ostream<char, std::char_traits<char> >& std::endl<char, std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&)',
  ],
  [
    '_ZNSsC1EPKcRKSaIcE',
    'std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string(char const*, std::allocator<char> const&)',
  ],
  [
    '_ZNSt6vectorISsSaISsEE9push_backERKSs',
    'std::vector<std::basic_string<char, std::char_traits<char>, std::allocator<char> >, std::allocator<std::basic_string<char, std::char_traits<char>, std::allocator<char> > > >::push_back(std::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)',
  ],
  [
    '_ZlsRSoRKSs',
    'operator<<(std::basic_ostream<char, std::char_traits<char> >&, std::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)',
  ],
  ['_Z3fooPFvPKcE', 'foo(void (*)(char const*))'],
  ['_Z1fM1AFivE', 'f(int (A::*)())'],
  ['_Z1fRA3_KPFvvE', 'f(void (* const (&) [3])())'],
  ['_ZNKR3Foo3barEv', 'Foo::bar() const &'],
  ['_ZNO3Foo3barEv', 'Foo::bar() &&'],
  ['_ZN3FooD2Ev', 'Foo::~Foo()'],
  ['_ZN1AIiEC1IdEET_', 'A<int>::A<double>(double)'],
  ['_Z1fz', 'f(...)'],
  ['_ZN9__gnu_cxxeqEii', '__gnu_cxx::operator==(int, int)'],
  ['_Zrm1XS_', 'operator%(X, X)'],
  ['_ZGVN5swift6localeE', 'guard variable for swift::locale'],
  ['_Z1fIJEEvDpT_', 'void f<>()'],
  ['_ZN3FooaSERKS_', 'Foo::operator=(Foo const&)'],
  ['_ZN3FooixEi', 'Foo::operator[](int)'],
  ['_ZN3FooclEv', 'Foo::operator()()'],
  ['_ZN3FooptEv', 'Foo::operator->()'],
  ['_ZdaPvm', 'operator delete[](void*, unsigned long)'],
  ['_ZZ3foovE1x_0', 'foo()::x'],
  ['_ZZN1A1fEvEd0_NKUlvE_clEv', 'A::f()::{default arg#2}::{lambda()#1}::operator()() const'],
  ['_ZZ3foovENKUlT_E_clIiEEDaS_', 'auto foo()::{lambda(auto:1)#1}::operator()<int>(int) const'],
  ['_Z1fIiEDTcl1gfp_EET_', 'decltype (g({parm#1})) f<int>(int)'],
  ['_Z3fooILi5ELj6ELb1ELc65EEvv', 'void foo<5, 6u, true, (char)65>()'],
  ['_Z3fooILin5EEvv', 'void foo<-5>()'],
  ['_Z1fPVKi', 'f(int const volatile*)'],
  ['_Z1fU8__vectorf', 'f(float __vector)'],
  [
    '_ZNSt8functionIFvRKiEEC2IZ4mainEUlS1_E_EET_',
    'std::function<void (int const&)>::function<main::{lambda(int const&)#1}>(main::{lambda(int const&)#1})',
  ],
  ['_ZN12_GLOBAL__N_13fooEv.isra.0.cold', '(anonymous namespace)::foo() [clone .isra.0] [clone .cold]'],
]
